import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { requiringSkillsQuery } from "../../api/mcp-servers.ts";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

/** The skills that require the server, of those that the user may read. */
export function RequiringSkills({ org, slug }: { org: string; slug: string }) {
  return (
    <ListSection
      title="Required by"
      found={useInfiniteQuery(requiringSkillsQuery(org, slug))}
      rows={4}
      rowHeight={44}
      more="Show more skills"
      empty="No skill requires it. A private skill can, in its settings: svc then offers to install the server."
    >
      {(skills) => (
        <ul className="panel mcp-skills">
          {skills.map((skill) => (
            <li key={skill.id} className="stack gap-0">
              <Link to="/$org/$slug" params={{ org, slug: skill.slug }}>
                {visibleText(skill.name)}
              </Link>
              <span className="meta clip">{visibleText(skill.description)}</span>
            </li>
          ))}
        </ul>
      )}
    </ListSection>
  );
}
