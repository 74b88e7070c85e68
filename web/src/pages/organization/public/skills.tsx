import { useInfiniteQuery } from "@tanstack/react-query";
import { countText } from "../../../../../contract/text/count-text.ts";
import {
  isNarrowed,
  organizationSearchQuery,
  type OrganizationSearch,
} from "../../../api/public-organization.ts";
import type { SearchPage } from "../../../api/search.ts";
import { List } from "../../../parts/lists/list-section.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { SearchBar } from "./search-bar.tsx";
import { SkillRow } from "./skill-row.tsx";

interface Props {
  org: string;
  search: OrganizationSearch;
  onChange: (part: Partial<OrganizationSearch>) => void;
}

/** The skills of the organization, which words and tags narrow. */
export function OrganizationSkills({ org, search, onChange }: Props) {
  const found = useInfiniteQuery(organizationSearchQuery(org, search));
  const first = found.data?.pages[0];
  return (
    <section className="stack gap-3" aria-labelledby="skills-heading">
      <h2 id="skills-heading">Skills</h2>
      <SearchBar search={search} facets={first?.facets} onChange={onChange} />
      <Result search={search} page={found.isPlaceholderData ? undefined : first} />
      <List
        found={found}
        rows={4}
        rowHeight={96}
        more="Show more skills"
        empty={<NoSkill search={search} onChange={onChange} />}
      >
        {(hits) => (
          <ul className="panel skills">
            {hits.map(({ skill, sentence }) => (
              <SkillRow key={skill.publicId} org={org} skill={skill} sentence={sentence} />
            ))}
          </ul>
        )}
      </List>
    </section>
  );
}

/** How many skills there are, and what a reader of them should know. */
function Result({ search, page }: { search: OrganizationSearch; page: SearchPage | undefined }) {
  const { facets, searchedFor = [], confidence } = page ?? {};
  const isShown = isNarrowed(search) && facets?.total !== 0;
  return (
    <div className="sub result">
      <p role="status" className={isShown ? undefined : "visually-hidden"}>
        {facets &&
          `${facets.totalIsExact ? "" : "over "}${countText(facets.total, "skill matches", "skills match")}.`}
      </p>
      {searchedFor.map(({ typed, used }) => (
        <p key={typed}>
          Searched for <b>{visibleText(used)}</b> instead of <s>{visibleText(typed)}</s>.
        </p>
      ))}
      {confidence === "low" && <p>No skill matches well. These are the nearest ones:</p>}
    </div>
  );
}

function NoSkill({ search, onChange }: Pick<Props, "search" | "onChange">) {
  if (!isNarrowed(search)) return <p className="sub">There are no public skills any more.</p>;
  return (
    <div className="stack">
      <p>No public skill of this organization matches.</p>
      <p className="sub">
        {search.tags || search.type
          ? "Remove a filter, or describe the task in other words."
          : "Describe the task in other words."}
      </p>
      <p>
        <button
          type="button"
          className="link-button"
          onClick={() => onChange({ query: undefined, tags: undefined, type: undefined })}
        >
          Show all skills
        </button>
      </p>
    </div>
  );
}
