/** Holds of new versions by review rules. */
import type { VersionMark } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { membershipIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { findReviewRule } from "../../folders/review/rules.ts";

export type Hold = Pick<VersionMark, "review"> & Required<Pick<VersionMark, "held">>;

/**
 * The hold of a version that the actor publishes to a folder; undefined where none waits for a review. Imports of the
 * repository sync are never held: the repository has its own review. Only members of an organization that has rules pay
 * for a query.
 */
export async function findHold(
  app: App,
  actor: Actor,
  { tenantId, folderId }: { tenantId: string; folderId: string | null },
  { imported }: { imported?: object },
): Promise<Hold | undefined> {
  if (imported || !membershipIn(actor, tenantId)?.reviews) return undefined;
  if (!(await findReviewRule(app, tenantId, folderId))) return undefined;
  return { held: ["review"], review: { publisherIds: publishersOf(actor), approvals: [] } };
}

/** The notice for a planned publish that a rule would hold; undefined if none does. */
export async function findHoldNotice(
  app: App,
  actor: Actor,
  folder: { tenantId: string; folderId: string | null },
  version: { semver: string },
): Promise<string | undefined> {
  return (await findHold(app, actor, folder, {})) ? heldWarning(version) : undefined;
}

/** The warning to the publisher of a held version. */
export const heldWarning = ({ semver }: { semver: string }): string =>
  `${semver} waits for a review: only those who may update or review the skill get it until it is approved.`;

/**
 * The people behind a publish: for a token of an organization, the one who created it; for one of a CI run, those who
 * decided what its trust policy permits.
 */
function publishersOf(actor: Actor): readonly string[] {
  if (actor.kind === "user") return [actor.userId];
  return (actor.kind === "organization" && actor.creatorIds) || [];
}
