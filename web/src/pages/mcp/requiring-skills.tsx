import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { requiringSkillsQuery } from "../../api/mcp-servers.ts";
import { Problem } from "../../parts/problem.tsx";

/** The skills that require the server, of those that the user may read. */
export function RequiringSkills({ org, slug }: { org: string; slug: string }) {
  const found = useInfiniteQuery(requiringSkillsQuery(org, slug));
  const skills = found.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className="stack g3" aria-labelledby="required-by">
      <h2 id="required-by">Required by</h2>
      <Problem error={found.error} retry={() => void found.refetch()} />
      {found.isSuccess && skills.length === 0 && (
        <p className="sub">
          No skill requires it. A private skill can, in its settings: svc then offers to install the server.
        </p>
      )}
      {skills.length > 0 && (
        <ul className="panel mcp-skills">
          {skills.map((skill) => (
            <li key={skill.id} className="stack g0">
              <Link to="/$org/$slug" params={{ org, slug: skill.slug }}>
                {skill.name}
              </Link>
              <span className="meta clip">{skill.description}</span>
            </li>
          ))}
        </ul>
      )}
      {found.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Show further skills
        </Button>
      )}
    </section>
  );
}
