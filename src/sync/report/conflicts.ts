/** Conflicts of an organization's syncs, with both sides, and the mark of a person that the result is fine as it is. */
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { SyncConflictDoc } from "../../../storage/sync/conflicts.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { TimeCursor, decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { loadTenant } from "../../orgs/service.ts";
import { loadSkill } from "../../skills/load.ts";
import { requireUser } from "../../users/load.ts";
import type { ConflictQuery } from "../connection/schema.ts";
import { firstOf } from "./history.ts";
import { loadSyncView } from "./visible.ts";

export interface Conflict {
  row: SyncConflictDoc;
  /** Undefined once the skill was deleted. */
  skill: SkillDoc | undefined;
  /** The version that the repository's content became, and the one that was current here. */
  winning: VersionFacts | undefined;
  losing: VersionFacts | undefined;
  /** The version from which both sides started. */
  base: VersionFacts | undefined;
}

export type VersionFacts = Pick<VersionDoc, "skillId" | "version" | "semver" | "author" | "createdAt">;

/** A page of conflicts, newest first. */
export async function listConflicts(
  app: App,
  actor: Actor,
  tenantRef: string,
  { limit, cursor, seen }: ConflictQuery,
): Promise<Page<Conflict>> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "githubSync:read");
  const before = decodeCursor(cursor, TimeCursor);
  const found = await visibleConflicts(app, actor, tenantId, { before, seen, limit: limit + 1 });
  const page = pageOf(found, limit, (last) => [last.at.getTime(), last._id]);
  return new Page(await describe(app, page.items), page.nextCursor);
}

/** Conflicts in skills that the caller may read, newest first. */
export async function visibleConflicts(
  app: App,
  actor: Actor,
  tenantId: string,
  { limit, ...query }: { before?: { at: Date; id: string }; seen?: boolean; limit: number },
): Promise<SyncConflictDoc[]> {
  const view = await loadSyncView(app, actor, tenantId, undefined);
  const rows = app.storage.syncConflicts.each({ tenantId, ...query });
  return firstOf(rows, ({ skillId }) => view.all || view.skill(skillId), limit);
}

async function describe(app: App, rows: readonly SyncConflictDoc[]): Promise<Conflict[]> {
  const sides = rows.flatMap(({ skillId, winning, losing, base }) =>
    [winning, losing, base ?? []].flat().map((version) => ({ skillId, version })),
  );
  const [skills, versions] = await Promise.all([
    app.storage.skills.listByIds([...new Set(rows.map(({ skillId }) => skillId))]),
    app.storage.versions.listFacts(sides),
  ]);
  const byId = new Map(skills.map((skill) => [skill._id, skill]));
  // The newest versions may not be copied to the collection yet.
  const known: VersionFacts[] = [...versions, ...skills.flatMap(({ pending }) => pending)];
  const byNumber = new Map(known.map((one) => [`${one.skillId}:${one.version}`, one]));
  return rows.map((row) => {
    const factsOf = (version: number | undefined) => byNumber.get(`${row.skillId}:${version}`);
    const [winning, losing, base] = [row.winning, row.losing, row.base].map(factsOf);
    return { row, skill: byId.get(row.skillId), winning, losing, base };
  });
}

/**
 * Marks a conflict as fine as it is, or removes the mark. Requires `skill:update` on its skill, and
 * `githubSync:manage` once that is deleted. Throws `not_found` for a skill that the caller may not see.
 */
export async function markConflict(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  isSeen: boolean,
): Promise<Conflict> {
  const { userId, username } = requireUser(actor);
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "githubSync:read");
  const row = await app.storage.syncConflicts.findOf(tenantId, id);
  if (!row) throw notFound("skill", id);
  if (await app.storage.skills.find(row.skillId))
    await loadSkill(app, actor, row.skillId, "skill:update", { typed: id });
  else {
    const view = await loadSyncView(app, actor, tenantId, undefined);
    if (!view.all) throw notFound("skill", id);
    await loadTenant(app, actor, tenantRef, "githubSync:manage");
  }
  await app.storage.syncConflicts.mark(id, isSeen ? { userId, username, at: app.now() } : undefined);
  const marked = await app.storage.syncConflicts.findOf(tenantId, id);
  if (!marked) throw notFound("skill", id);
  return (await describe(app, [marked]))[0]!;
}
