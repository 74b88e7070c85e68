import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { numberText } from "../../../../contract/text/count-text.ts";
import { identityQuery } from "../../api/account/session.ts";
import { tagsOf, withTag, type SearchFacets, type SkillSearch } from "../../api/search.ts";
import { visibleText } from "../../parts/text/visible-text.ts";

const shownOptions = 7;
const ages: Record<number, string> = { 7: "Past week", 30: "Past month", 365: "Past year" };

interface Props {
  search: SkillSearch;
  /** Undefined until they are read. */
  facets: SearchFacets | undefined;
  onChange: (part: Partial<SkillSearch>) => void;
}

interface Option {
  /** Empty for no filter. */
  value: string;
  label: string;
  count?: number;
}

/** Filters with the number of hits that each leaves, counted over the whole result. */
export function Facets({ search, facets, onChange }: Props) {
  const countOf = (list: readonly { value: string; count: number }[] | undefined, value: string) =>
    list ? (list.find((one) => one.value === value)?.count ?? 0) : undefined;
  const types = facets && facets.types.reduce((sum, type) => sum + type.count, 0);
  const chosenTags = tagsOf(search);
  const tags = withChosen(facets?.tags ?? [], chosenTags);
  const organizations = withChosen(facets?.organizations ?? [], search.tenant ? [search.tenant] : []);
  return (
    <aside id="explore-facets" className="facets" aria-label="Filters">
      <Where search={search} facets={facets} onChange={onChange} />
      <Choice
        title="Type"
        value={search.type ?? ""}
        options={[
          { value: "", label: "All", count: types },
          { value: "skill", label: "Skills", count: countOf(facets?.types, "skill") },
          { value: "rule", label: "Rules", count: countOf(facets?.types, "rule") },
        ]}
        onChange={(value) => onChange({ type: value === "skill" || value === "rule" ? value : undefined })}
      />
      <Choice
        title="Tag"
        isMultiple
        value={chosenTags}
        options={tags.map(({ value, count: skills }) => ({ value, label: value, count: skills }))}
        onChange={(tag) => onChange({ tags: withTag(search, tag) })}
      />
      <Choice
        title="Organization"
        isMultiple
        value={search.tenant ? [search.tenant] : []}
        options={organizations.map(({ value, count: skills }) => ({ value, label: value, count: skills }))}
        onChange={(slug) => onChange({ tenant: slug === search.tenant ? undefined : slug })}
      />
      <Choice
        title="Updated"
        value={String(search.updated ?? "")}
        options={[
          { value: "", label: "Any time" },
          ...(
            facets?.updated ?? Object.keys(ages).map((days) => ({ days: Number(days), count: undefined }))
          ).map(({ days, count: skills }) => ({
            value: String(days),
            label: ages[days] ?? `Past ${days} days`,
            count: skills,
          })),
        ]}
        onChange={(days) => onChange({ updated: days === "" ? undefined : Number(days) })}
      />
    </aside>
  );
}

/** Everywhere, or only the user's organizations. Visitors have none. */
function Where({ search, facets, onChange }: Props) {
  const { data: identity } = useQuery(identityQuery);
  const [first, second] = identity?.memberships ?? [];
  if (!first) return null;
  const countIn = (scope: string) => facets?.scopes.find(({ value }) => value === scope)?.count;
  return (
    <Choice
      title="Where"
      value={search.scope ?? ""}
      options={[
        { value: "", label: "Everywhere", count: countIn("all") },
        {
          value: "mine",
          label: second ? "My organizations" : `${visibleText(first.name)} only`,
          count: countIn("mine"),
        },
      ]}
      onChange={(scope) => onChange({ scope: scope === "mine" ? scope : undefined })}
    />
  );
}

/** The counted values, and the chosen ones that no hit has. */
function withChosen(counted: readonly { value: string; count: number }[], chosen: readonly string[]) {
  const missing = chosen.filter((value) => counted.every((one) => one.value !== value));
  return [...missing.map((value) => ({ value, count: 0 })), ...counted];
}

interface ChoiceProps {
  title: string;
  options: Option[];
  /** The chosen value, or several. */
  value: string | string[];
  isMultiple?: boolean;
  onChange: (value: string) => void;
}

function Choice({ title, options, value, isMultiple = false, onChange }: ChoiceProps) {
  const name = useId();
  const [areAllShown, setAllShown] = useState(false);
  if (options.length === 0) return null;
  const isChosen = (option: string) => (Array.isArray(value) ? value.includes(option) : value === option);
  const shown = areAllShown
    ? options
    : options.filter((option, index) => index < shownOptions || isChosen(option.value));
  return (
    <fieldset>
      <legend className="meta">{title}</legend>
      {shown.map((option) => (
        <label key={option.value} className="option">
          <input
            type={isMultiple ? "checkbox" : "radio"}
            name={name}
            checked={isChosen(option.value)}
            onChange={() => onChange(option.value)}
          />
          <span className="grow clip">{visibleText(option.label)}</span>
          {option.count !== undefined && <span className="count dim">{numberText(option.count)}</span>}
        </label>
      ))}
      {shown.length < options.length && (
        <button type="button" className="link-button meta" onClick={() => setAllShown(true)}>
          {options.length - shown.length} more
        </button>
      )}
    </fieldset>
  );
}
