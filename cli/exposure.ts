/** The readers that a change adds, and the confirmation of the change. */
import type { AudiencePayload, ExposurePayload } from "../contract/payloads/skills/exposure.ts";
import type { Context } from "./context.ts";
import { askYes, requireInteraction } from "./terminal/prompts.ts";
import { plainLine } from "./terminal/table.ts";

/** The flag that confirms the change. */
export const yesFlag = {
  yes: { short: "y", value: "none", description: "Don't ask before more people can read the skill" },
} as const;

/** Number of members, and of teams, that are listed by name. */
const shownNames = 5;

/**
 * Lists the future readers of a skill and asks for confirmation if the change adds any. Throws `E_INTERACTION_REQUIRED`
 * for `--yes` if a question can't be asked.
 */
export async function confirmExposure(
  context: Context,
  { after, widened, versions = 0 }: ExposurePayload,
  name: string,
  yes: boolean,
): Promise<void> {
  if (!widened || yes) return;
  const readers = `Afterwards, "${plainLine(name)}" can be read by ${readersOf(after)}.`;
  const others = versions === 1 ? "Its 1 other version becomes" : `Its ${versions} other versions become`;
  const earlier = versions === 0 ? "" : ` ${others} readable too.`;
  requireInteraction(context, "--yes", `${readers}${earlier} Confirm with --yes.`);
  await askYes(`${readers}${earlier} Continue?`);
}

function readersOf({ visibility, ...granted }: AudiencePayload): string {
  if (visibility === "public") return "everyone on the internet";
  if (visibility === "unlisted") return "everyone who has its link";
  if (visibility === "organization") return "all members of the organization";
  const { members = [], memberCount = members.length, teams = [], teamCount = teams.length } = granted;
  const parts = [
    ...listOf("team", teams, teamCount),
    ...listOf("member", members, memberCount),
    "administrators of the organization",
  ];
  return parts.join(", ");
}

function listOf(kind: "team" | "member", named: readonly { name: string }[], count: number): string[] {
  if (count === 0) return [];
  const names = named.slice(0, shownNames).map(({ name }) => plainLine(name));
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  return [`${kind}${count === 1 ? "" : "s"} ${names.join(", ")}${more}`];
}
