/** Removes erased skills from the mirror, whose packs contain every fetched state of the branch. */
import type { SyncContext } from "../content/context.ts";
import { listLocatedSkills } from "../content/export/exported.ts";

/**
 * Recreates the mirror at the end of a sync if skills were erased before it began. While the branch still has the
 * directory of an erased skill, its content would be fetched again: the sync after its removal recreates the mirror
 * then. If interrupted, it is repeated.
 */
export async function purgeErased({ app, connection, mirror, remote, signal }: SyncContext): Promise<void> {
  const { _id: id, tenantId, branch, erasures } = connection;
  if (erasures === undefined) return;
  const bases = await app.storage.syncBases.listOf(id);
  const there = new Set((await listLocatedSkills(app, tenantId)).map((skill) => skill.id));
  if (bases.some(({ skillId }) => !there.has(skillId))) return;
  await mirror.drop();
  // The number stays if there were more erasures since.
  await app.storage.connections.change(id, { when: { erasures }, unset: ["erasures"] });
  try {
    // Fetched now: the author of later pushes is known only if they are fetched on top of this state.
    await mirror.fetch(remote, branch, { signal });
  } catch (error) {
    app.log.warn({ error, connection: id }, "a dropped mirror is fetched by the next sync");
  }
}
