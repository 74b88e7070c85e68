import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Search, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { skillTypes } from "../../../../../contract/vocabulary.ts";
import type { OrganizationSearch } from "../../../api/public-organization.ts";
import { tagsOf, withTag, type SearchFacets } from "../../../api/search.ts";
import { useFilterKey } from "../../../parts/filter-key.ts";
import { SortSelect } from "../../../parts/lists/sort-select.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

const debounceMs = 150;
const shownTags = 10;

interface Props {
  search: OrganizationSearch;
  facets: SearchFacets | undefined;
  onChange: (part: Partial<OrganizationSearch>) => void;
}

/** Words, tags, type and order of the list. */
export function SearchBar({ search, facets, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const changeQuery = useDebouncedCallback(
    (words: string) => onChange({ query: words.trim() || undefined }),
    debounceMs,
  );
  useFilterKey(field);
  const { query: words = "" } = search;
  useEffect(() => {
    // A change of the address from elsewhere, such as a removed filter, is not what is being typed.
    if (field.current && document.activeElement !== field.current) field.current.value = words;
  }, [words]);
  return (
    <div className="search stack">
      <div className="row">
        <TextInput
          ref={field}
          className="grow"
          aria-label="Search the skills of this organization"
          placeholder="Name, tag or what it should do"
          leftSection={<Search size={16} />}
          rightSection={<span className="kbd hidden-on-phones">/</span>}
          defaultValue={words}
          maxLength={limits.searchQuery}
          onChange={(event) => changeQuery(event.currentTarget.value)}
        />
        <SortSelect search={search} onChange={onChange} />
      </div>
      <Filters search={search} facets={facets} onChange={onChange} />
    </div>
  );
}

/** The chosen tags and type, and the most frequent others with the number of skills that each leaves. */
function Filters({ search, facets, onChange }: Props) {
  const chosen = tagsOf(search);
  const tags = facets?.tags.filter(({ value }) => !chosen.includes(value)).slice(0, shownTags) ?? [];
  const types = (facets?.types ?? []).filter(({ value }) => value !== search.type);
  const hasTypes = search.type !== undefined || types.length > 1;
  if (chosen.length === 0 && tags.length === 0 && !hasTypes) return null;
  return (
    <div className="chips" role="group" aria-label="Filters">
      {search.type && (
        <Chip isChosen label={typeLabels[search.type]} onClick={() => onChange({ type: undefined })} />
      )}
      {chosen.map((tag) => (
        <Chip key={tag} isChosen label={tag} onClick={() => onChange({ tags: withTag(search, tag) })} />
      ))}
      {hasTypes &&
        skillTypes.map((type) => {
          const counts = types.find(({ value }) => value === type);
          return (
            counts && (
              <Chip
                key={type}
                label={typeLabels[type]}
                count={counts.count}
                onClick={() => onChange({ type })}
              />
            )
          );
        })}
      {tags.map(({ value, count }) => (
        <Chip
          key={value}
          label={value}
          count={count}
          onClick={() => onChange({ tags: withTag(search, value) })}
        />
      ))}
    </div>
  );
}

const typeLabels = { skill: "Skills", rule: "Rules" } as const;

interface ChipProps {
  label: string;
  count?: number;
  isChosen?: boolean;
  onClick: () => void;
}

function Chip({ label, count, isChosen = false, onClick }: ChipProps) {
  return (
    <button
      type="button"
      className={isChosen ? "tag chosen" : "tag"}
      aria-pressed={isChosen}
      onClick={onClick}
    >
      {visibleText(label)}
      {isChosen && <X size={12} aria-hidden="true" />}
      {count !== undefined && <span className="dim">{count.toLocaleString("en")}</span>}
    </button>
  );
}
