import { Select } from "@mantine/core";
import { numberText } from "../../../../contract/text/count-text.ts";
import { visibilities } from "../../../../contract/vocabulary.ts";
import { visibleText } from "../../parts/text/visible-text.ts";
import { filterNames, type FilterName, type Filters } from "./filters.ts";
import { stalenesses, type LibrarySearch } from "./tree.ts";

const titles: Readonly<Record<FilterName, string>> = {
  folder: "Folder",
  tag: "Tag",
  owner: "Owner",
  team: "Owner team",
  visibility: "Visibility",
  stale: "Stale",
};

interface Props {
  filters: Filters;
  search: LibrarySearch;
  onSearch: (part: LibrarySearch) => void;
}

/** A field for each filter, whose values have the number of skills that they leave. */
export function FilterBar({ filters, search, onSearch }: Props) {
  return (
    <div className="filter-bar" role="group" aria-label="Filters">
      {filterNames
        .filter((name) => filters.values[name].length > 0)
        .map((name) => (
          <Select
            key={name}
            aria-label={titles[name]}
            placeholder={titles[name]}
            size="xs"
            limit={200}
            clearable
            searchable={filters.values[name].length > 10}
            clearButtonProps={{ "aria-label": `Remove the filter ${titles[name].toLowerCase()}` }}
            data={filters.values[name].map(({ value, label, count: skills }) => ({
              value,
              label: `${visibleText(label)} (${numberText(skills)})`,
            }))}
            value={search[name] ?? null}
            onChange={(value) => onSearch(partOf(name, value))}
          />
        ))}
    </div>
  );
}

function partOf(name: FilterName, value: string | null): LibrarySearch {
  const chosen = value ?? undefined;
  if (name === "visibility") return { visibility: visibilities.find((one) => one === chosen) };
  if (name === "stale") return { stale: stalenesses.find((one) => one === chosen) };
  return { [name]: chosen };
}
