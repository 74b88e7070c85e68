import { NativeSelect } from "@mantine/core";
import { searchSorts } from "../../../../contract/vocabulary.ts";
import { sortOf, type SkillSearch } from "../../api/search.ts";

interface Props {
  search: SkillSearch;
  size?: "xs";
  onChange: (part: Pick<SkillSearch, "sort">) => void;
}

/** The order of found skills; by relevance only if there are words. */
export function SortSelect({ search, size, onChange }: Props) {
  return (
    <NativeSelect
      aria-label="Sort"
      size={size}
      w={130}
      data={searchSorts
        .filter((sort) => sort !== "relevance" || search.query)
        .map((sort) => ({ value: sort, label: sort[0]!.toUpperCase() + sort.slice(1) }))}
      value={sortOf(search)}
      onChange={(event) => onChange({ sort: searchSorts.find((sort) => sort === event.currentTarget.value) })}
    />
  );
}
