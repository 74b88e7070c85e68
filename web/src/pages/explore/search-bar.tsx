import { Button, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { ListFilter, Search, X } from "lucide-react";
import { useRef } from "react";
import { limits } from "../../../../contract/limits.ts";
import { countText, numberText } from "../../../../contract/text/count-text.ts";
import { tagsOf, withTag, type SearchFacets, type SkillSearch } from "../../api/search.ts";
import { useFilterKey } from "../../parts/filter-key.ts";
import { SortSelect } from "../../parts/lists/sort-select.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

const debounceMs = 150;
const shownTags = 6;

interface Props {
  search: SkillSearch;
  facets: SearchFacets | undefined;
  areFiltersOpen: boolean;
  onFilters: () => void;
  onChange: (part: Partial<SkillSearch>) => void;
}

/** The words of the search, with the number of its hits, and the tags that narrow it. */
export function SearchBar({ search, facets, areFiltersOpen, onFilters, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const changeQuery = useDebouncedCallback(
    (query: string) => onChange({ query: query.trim() || undefined }),
    debounceMs,
  );
  useFilterKey(field);
  const total = facets && `${numberText(facets.total)}${facets.totalIsExact ? "" : "+"}`;
  return (
    <div className="search-bar stack">
      <TextInput
        ref={field}
        aria-label="Search skills and rules"
        placeholder="Name, tag or what it should do"
        leftSection={<Search size={16} />}
        rightSection={
          <span className="row">
            <span className="meta">{total}</span>
            <span className="kbd hidden-on-phones">/</span>
          </span>
        }
        rightSectionWidth={96}
        classNames={{ section: "field-end" }}
        defaultValue={search.query ?? ""}
        maxLength={limits.searchQuery}
        onChange={(event) => changeQuery(event.currentTarget.value)}
      />
      <p className="visually-hidden" role="status">
        {facets && countText(facets.total, "skill")}
      </p>
      <div className="row between">
        <div className="chips row">
          <Button
            className="filters-button"
            size="xs"
            variant="default"
            leftSection={<ListFilter size={14} />}
            aria-expanded={areFiltersOpen}
            aria-controls="explore-facets"
            onClick={onFilters}
          >
            Filters
          </Button>
          <TagChips search={search} facets={facets} onChange={onChange} />
        </div>
        <SortSelect search={search} size="xs" onChange={onChange} />
      </div>
    </div>
  );
}

/** The chosen tags, and the most frequent others. */
function TagChips({ search, facets, onChange }: Pick<Props, "search" | "facets" | "onChange">) {
  const chosen = tagsOf(search);
  const others = facets?.tags.filter(({ value }) => !chosen.includes(value)) ?? [];
  const toggle = (tag: string) => onChange({ tags: withTag(search, tag) });
  return (
    <>
      {chosen.map((tag) => (
        <button key={tag} type="button" className="tag chosen" aria-pressed onClick={() => toggle(tag)}>
          {visibleText(tag)} <X size={12} aria-hidden="true" />
        </button>
      ))}
      {others.slice(0, shownTags).map(({ value, count: skills }) => (
        <button
          key={value}
          type="button"
          className="tag hidden-on-phones"
          aria-pressed={false}
          onClick={() => toggle(value)}
        >
          {visibleText(value)} <span className="count dim">{numberText(skills)}</span>
        </button>
      ))}
    </>
  );
}
