import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { countText } from "../../../../../contract/text/count-text.ts";
import {
  organizationSearchQuery,
  skillIndexQuery,
  type OrganizationSearch,
} from "../../../api/public-organization.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine, installLine } from "../../../parts/copy/shell.ts";
import { OmittedSkills } from "../../../parts/omitted-skills.tsx";

/** How to use the skills: in a terminal, and by an agent. */
export function Start({ org, search }: { org: string; search: OrganizationSearch }) {
  const { data } = useInfiniteQuery(organizationSearchQuery(org, search));
  const first = data?.pages[0]?.data[0]?.skill.slug;
  const { origin } = location;
  return (
    <aside className="stack gap-4 start" aria-label="Use these skills">
      {first !== undefined && (
        <section className="stack">
          <h2>Install a skill</h2>
          <Command text={installLine(org, first)} label="Copy the install command" />
          <p className="meta">
            svc writes it into each AI coding tool in that tool&apos;s own format. The page of a skill has the
            line for each tool.
          </p>
        </section>
      )}
      <section className="stack">
        <h2>Get svc</h2>
        <Command
          text={`${commandLine("curl", "-fsSL", `${origin}/cli/install.sh`)} | sh`}
          label="Copy the set-up command"
        />
        <p className="meta">
          On Windows: <code className="mono wrap-text">npm install --global {origin}/cli/svc.tgz</code>
        </p>
      </section>
      <section className="stack">
        <h2>Install as plugins</h2>
        <Command
          text={commandLine("claude", "plugin", "marketplace", "add", `${origin}/${org}.git`)}
          label="Copy the line for Claude Code"
        />
        <p className="meta">
          Claude Code, Codex and Copilot CLI then install each skill as a plugin, and update it.
        </p>
      </section>
      <OtherClients org={org} />
      <section className="stack">
        <h2>For agents</h2>
        <Command text={`${origin}/mcp`} prompt="" label="Copy the address of the MCP server" />
        <p className="meta">
          An agent that is connected to this MCP server finds and reads the skills itself. They are also
          available as <a href={`/${org}/llms.txt`}>a list in plain text</a>.
        </p>
      </section>
    </aside>
  );
}

/** The line for the client of Agent Skills indexes, and the skills that it does not find. */
function OtherClients({ org }: { org: string }) {
  const { data: index } = useQuery(skillIndexQuery(org));
  if (index === undefined || index.skills + index.omitted.length === 0) return null;
  return (
    <section className="stack">
      <h2>Without svc</h2>
      {index.skills > 0 && (
        <>
          <Command
            text={commandLine("npx", "skills", "add", index.url)}
            label="Copy the line for npx skills"
          />
          <p className="meta">
            Choose from {countText(index.skills, "skill")}
            {index.hasMore && "; more are public"}. No account is needed.
          </p>
        </>
      )}
      <OmittedSkills omitted={index.omitted} />
    </section>
  );
}
