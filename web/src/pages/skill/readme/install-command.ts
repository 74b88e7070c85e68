import type { InstallScope, Target } from "../../../../../contract/vocabulary.ts";
import { commandLine } from "../../../parts/copy/shell.ts";

export const ways = [
  { value: "svc", label: "svc" },
  { value: "npx", label: "npx skills" },
  { value: "git", label: "git" },
  { value: "claude", label: "Claude" },
  { value: "mcp", label: "MCP" },
] as const;
export type Way = (typeof ways)[number]["value"];
export type Pin = "latest" | "compatible" | "exact";

interface Choice {
  way: Exclude<Way, "mcp">;
  /** `org/slug`. */
  ref: string;
  slug: string;
  /** Address of the skill's repository. */
  address: string;
  semver: string;
  /** Without one, svc asks at the terminal. */
  tool: Target | "";
  scope: InstallScope;
  pin: Pin;
}

/** The command line that installs a version. Every version has the tag `v<semver>` in the skill's repository. */
export function installCommand({ way, ref, slug, address, semver, tool, scope, pin }: Choice): string {
  if (way === "svc") {
    const version = { latest: "", compatible: `@^${semver}`, exact: `@${semver}` }[pin];
    const target = tool === "" ? [] : ["-t", tool];
    return commandLine("svc", "install", `${ref}${version}`, ...target, scope === "project" ? "-p" : "-g");
  }
  if (way === "npx") return commandLine("npx", "skills", "add", address);
  const branch = pin === "exact" ? ["--branch", `v${semver}`] : [];
  const clone = commandLine("git", "clone", "--depth=1", ...branch, address);
  if (way === "git") return clone;
  // A shell expands the tilde only outside of quotes.
  const home = scope === "project" ? "" : "~/";
  return `${clone} ${home}${commandLine(`.claude/skills/${slug}`)}`;
}

/** The line for a machine without svc: installs it from the service, logs in, and runs the command. */
export function firstCommand(origin: string, command: string): string {
  const installer = commandLine("curl", "-fsSL", `${origin}/cli/install.sh`);
  return `${installer} | sh -s -- ${command.replace(/^svc /, "")}`;
}
