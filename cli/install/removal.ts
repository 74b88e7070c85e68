/** Installed versions that were rejected or found malicious after they were published. */
import type { RemovalReason } from "../../contract/vocabulary.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { qualifiedName } from "./publisher.ts";
import type { InstalledInScope } from "./records/scopes.ts";

/** An installed version that should be removed. */
export interface Removal {
  semver: string;
  reason: RemovalReason;
  /** The command that removes it. */
  command: string;
}

export function removalOf(
  { installName, scope: { projectDir, semver } }: InstalledInScope,
  reason: RemovalReason,
): Removal {
  const where = projectDir === undefined ? "-g" : `-p ${shellWord(projectDir)}`;
  return { semver, reason, command: `svc uninstall ${installName} ${where}` };
}

/** Without the command. */
export function removalText({ skill, scope }: InstalledInScope, reason: RemovalReason): string {
  return `${qualifiedName(skill)} ${scope.semver} is installed and ${withdrawalText(reason)}`;
}

export const withdrawalText = (reason: RemovalReason) =>
  `${reason === "rejected" ? "was rejected" : "was found malicious by its scan"} after it was published`;
