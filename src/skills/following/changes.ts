/** Changes as a person is shown them. Every read decides the access anew. */
import type { FollowedKind } from "../../../contract/events/following.ts";
import type { FollowedChangePayload } from "../../../contract/payloads/organizations/following.ts";
import type { FollowedChangeDoc } from "../../../storage/following/changes.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { InstallDoc } from "../../../storage/usage/installs.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { TimeCursor, decodeCursor, pageOf } from "../../http/request/cursor.ts";
import type { Page } from "../../http/route.ts";
import { requireUser } from "../../users/load.ts";
import { keepAllowed, withActs } from "../load.ts";
import { markOf, unseenVersions } from "../marks/marks.ts";
import { waitingOf } from "../review/waiting.ts";

export interface SeenChange {
  row: FollowedChangeDoc;
  skill: SkillDoc;
  /** The person's outdated installs, in the mail of a reminder. */
  outdated?: InstallDoc[];
}

/** Rows that are read at a time. */
const batch = 200;

/** A page of the caller's changes, newest first, without those of skills that they may not read now. */
export async function listFollowedChanges(
  app: App,
  actor: Actor,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<Page<SeenChange>> {
  const user = requireUser(actor);
  let before = decodeCursor(cursor, TimeCursor);
  const seen: SeenChange[] = [];
  while (seen.length <= limit) {
    const rows = await app.storage.followedChanges.list(user.userId, before, batch);
    seen.push(...(await visibleChanges(app, user, rows)));
    const last = rows.at(-1);
    if (rows.length < batch || !last) break;
    before = { at: last.at, id: last._id };
  }
  return pageOf(seen, limit, ({ row }) => [row.at.getTime(), row._id]);
}

/**
 * Kinds that only members of the skill's organization are shown: a stranger would learn where to look for a secret, and
 * reminders are sent by members to members.
 */
const kindsForMembers: readonly FollowedKind[] = [
  "finding",
  "flagged",
  "review",
  "reported",
  "conflict",
  "reminder",
];

/** The changes of skills that a person may read now, in their order. */
export async function visibleChanges(
  app: App,
  actor: Actor,
  rows: readonly FollowedChangeDoc[],
): Promise<SeenChange[]> {
  const found = await app.storage.skills.listByIds([...new Set(rows.map(({ skillId }) => skillId))]);
  const alive = found.filter(({ suspended }) => !suspended);
  const readable = await keepAllowed(app, actor, "skill:read", alive);
  // As a member, and not only because anyone may read it.
  const asPrivate = readable.map((skill) => ({ ...skill, visibility: "private" as const }));
  const ofMember = new Set((await keepAllowed(app, actor, "skill:read", asPrivate)).map(({ _id }) => _id));
  const byId = new Map(readable.map((skill) => [skill._id, skill]));
  const isShown = await versionsShown(app, actor, rows, readable);
  return rows.flatMap((row) => {
    const skill = byId.get(row.skillId);
    if (!skill || (kindsForMembers.includes(row.kind) && !ofMember.has(skill._id))) return [];
    if (!isShown(row)) return [];
    return [{ row, skill }];
  });
}

/**
 * Whether a person is shown the version that a row for an owner team is about: a hidden one only with the right to see
 * it, and one that waits for a review only while they may decide about it.
 */
async function versionsShown(
  app: App,
  actor: Actor,
  rows: readonly FollowedChangeDoc[],
  readable: readonly SkillDoc[],
): Promise<(row: FollowedChangeDoc) => boolean> {
  const idsOf = (...kinds: FollowedKind[]) =>
    new Set(rows.flatMap(({ kind, skillId }) => (kinds.includes(kind) ? skillId : [])));
  const concerned = idsOf("flagged", "review", "reported");
  if (concerned.size === 0) return () => true;
  const seen = await withActs(
    app,
    actor,
    readable.filter(({ _id }) => concerned.has(_id)),
  );
  const hidden = new Set(
    seen.flatMap((skill) =>
      unseenVersions(skill).map((version) => keyOf(skill._id, semverAt(skill, version))),
    ),
  );
  const reviewed = idsOf("review");
  const waiting = await Promise.all(
    seen.filter(({ _id }) => reviewed.has(_id)).map((skill) => waitingOf(app, actor, skill)),
  );
  const decidable = new Set(
    waiting
      .flat()
      .filter(({ mayDecide }) => mayDecide)
      .map(({ skill, version }) => keyOf(skill.id, version.semver)),
  );
  return ({ kind, skillId, semver }) => {
    const key = keyOf(skillId, semver);
    if (kind === "review") return decidable.has(key);
    return !concerned.has(skillId) || !hidden.has(key) || (kind !== "flagged" && kind !== "reported");
  };
}

const keyOf = (skillId: string, semver: string | undefined) => `${skillId} ${semver}`;
const semverAt = (skill: SkillDoc, version: number) => markOf(skill, version)?.semver;

export function presentChange({ row, skill }: SeenChange): FollowedChangePayload {
  return {
    id: row._id,
    kind: row.kind,
    reason: row.reason,
    skill: { id: skill._id, tenantSlug: skill.tenantSlug, slug: skill.slug, name: skill.name },
    semver: row.semver,
    findings: row.findings,
    message: row.message,
    by: row.by,
    at: row.at.toISOString(),
  };
}
