import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { may, organizationQuery } from "../../../api/account/session.ts";
import { mcpServersQuery } from "../../../api/mcp-servers.ts";
import { updateSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { RequiredServers } from "../../../parts/mcp/required-servers.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";

/** The MCP servers that a private skill requires, if its organization has any. */
export function RequiredForm({ skill }: { skill: Skill }) {
  const { org, ref } = useSkillAddress();
  const changed = useChanged(ref);
  const { data: organization } = useQuery(organizationQuery(org));
  const canRead = organization !== undefined && may(organization.permissions, "mcpServer", "read");
  const { data: servers = [] } = useQuery({ ...mcpServersQuery(org), enabled: canRead });
  const [chosen, setChosen] = useState(() => (skill.requiredMcpServers ?? []).map(({ slug }) => slug));
  const save = useMutation({
    mutationFn: () =>
      updateSkill(ref, {
        requiredMcpServers: chosen.map((slug) => ({ tenantSlug: skill.tenantSlug, slug })),
      }),
    onSuccess: changed,
  });
  if (servers.length === 0) return null;
  return (
    <form
      className="panel"
      aria-label="MCP servers"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <header>
        <h2>MCP servers</h2>
      </header>
      <div className="body stack gap-4">
        <RequiredServers org={org} chosen={chosen} onChange={setChosen} />
        <p className="meta">While the skill requires servers, it stays private.</p>
        <Problem error={save.error} />
      </div>
      <footer className="row">
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
        <span className="meta" role="status">
          {save.isSuccess && "Saved."}
        </span>
      </footer>
    </form>
  );
}
