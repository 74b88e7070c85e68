import { useState } from "react";
import type { Skill } from "../../../api/skills/skills.ts";
import { RequiredServers } from "../../../parts/mcp/required-servers.tsx";

/** The MCP servers that the skill requires from the next version on. They are sent only if they were changed. */
export function useRequired({ tenantSlug, requiredMcpServers = [] }: Skill) {
  const previous = requiredMcpServers.map(({ slug }) => slug);
  const [edited, setChosen] = useState<string[]>();
  const chosen = edited ?? previous;
  const isSame = chosen.length === previous.length && chosen.every((slug) => previous.includes(slug));
  const body = isSame ? {} : { requiredMcpServers: chosen.map((slug) => ({ tenantSlug, slug })) };
  return { chosen, setChosen, body };
}

interface Props {
  skill: Skill;
  chosen: string[];
  setChosen: (chosen: string[]) => void;
}

export function RequiredChoice({ skill, chosen, setChosen }: Props) {
  if (skill.visibility !== "private") return null;
  return <RequiredServers org={skill.tenantSlug} chosen={chosen} onChange={setChosen} />;
}
