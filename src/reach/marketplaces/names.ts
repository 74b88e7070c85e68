/** Names of marketplaces, which tools show and keep in their settings. */

/** Names that Claude Code and Codex refuse or treat as their own. */
const reserved = new Set([
  "agent-skills",
  "anthropic-agent-skills",
  "anthropic-marketplace",
  "anthropic-plugin-directory",
  "anthropic-plugins",
  "builtin",
  "claude-code-marketplace",
  "claude-code-plugins",
  "claude-community",
  "claude-for-financial-services",
  "claude-for-legal",
  "claude-plugin-directory",
  "claude-plugins-community",
  "claude-plugins-official",
  "claude-tag-plugins",
  "financial-services-plugins",
  "first-party-plugins",
  "github",
  "healthcare",
  "inline",
  "knowledge-work-plugins",
  "life-sciences",
  "npm",
  "openai-curated",
  "skills-dir",
  "synced",
]);
const isReserved = (name: string) =>
  reserved.has(name) ||
  name.startsWith("claudeai-") ||
  /^official.*(claude|anthropic)|(claude|anthropic).*official/.test(name);

/** Name of a new marketplace. `part`: what distinguishes it from the organization's public one. */
export function marketplaceName(org: string, part?: string): string {
  const name = part === undefined ? org : `${org}-${part}`;
  return isReserved(name) ? `${name}-skills` : name;
}
