import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { requiringSkillsQuery } from "../../api/mcp-servers.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { visibleText } from "../../parts/visible-text.ts";

/** The skills that require the server, of those that the user may read. */
export function RequiringSkills({ org, slug }: { org: string; slug: string }) {
  const found = useInfiniteQuery(requiringSkillsQuery(org, slug));
  const skills = itemsOf(found);
  return (
    <section className="stack g3" aria-labelledby="required-by">
      <h2 id="required-by">Required by</h2>
      <PagedList
        found={found}
        items={skills}
        rowHeight={44}
        more="Show further skills"
        empty={
          <p className="sub">
            No skill requires it. A private skill can, in its settings: svc then offers to install the server.
          </p>
        }
      >
        <ul className="panel mcp-skills">
          {skills.map((skill) => (
            <li key={skill.id} className="stack g0">
              <Link to="/$org/$slug" params={{ org, slug: skill.slug }}>
                {visibleText(skill.name)}
              </Link>
              <span className="meta clip">{visibleText(skill.description)}</span>
            </li>
          ))}
        </ul>
      </PagedList>
    </section>
  );
}
