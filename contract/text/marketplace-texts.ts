/** Lines and settings by which tools get to know a marketplace. */
import type { MarketplacePayload } from "../payloads/discovery/marketplaces.ts";

type Known = Pick<MarketplacePayload, "name" | "gitUrl" | "isPublic" | "requiredPlugins">;

/** Tools that add a marketplace by its address, and the command that does it. */
export const marketplaceTools = [
  { tool: "Claude Code", program: "claude" },
  { tool: "Codex", program: "codex" },
  { tool: "Copilot CLI", program: "copilot" },
] as const;

export const addLine = (program: string, { gitUrl }: Known): string =>
  `${program} plugin marketplace add ${gitUrl}`;

/** The line that makes git, which these tools run, use the login of `svc`. */
export const credentialLine = ({ gitUrl }: Known): string =>
  `git config --global credential.${new URL(gitUrl).origin}.helper '!svc auth git'`;

/**
 * Settings of Claude Code, for a person, a project or all machines (managed settings): the marketplace is known, and
 * updated at every start, and the plugins that are required are enabled.
 */
export const claudeSettings = (known: Known) =>
  settingsOf(known, { source: "git", url: known.gitUrl } as const);

/** Such settings without Git: Claude Code reads plugins as zips, and the headers of a private one from a command. */
export const claudeArchiveSettings = (known: Known & Pick<MarketplacePayload, "catalogUrl">) =>
  settingsOf(known, {
    source: "url",
    url: known.catalogUrl,
    headersHelper: known.isPublic ? undefined : "svc auth header",
  } as const);

const settingsOf = <Source>({ name, requiredPlugins }: Known, source: Source) => ({
  extraKnownMarketplaces: { [name]: { source, autoUpdate: true } },
  enabledPlugins:
    requiredPlugins.length > 0
      ? Object.fromEntries(requiredPlugins.map((plugin) => [`${plugin}@${name}`, true]))
      : undefined,
});

/** Settings as the content of a file. */
export const settingsText = (settings: object) => JSON.stringify(settings, null, 2);
