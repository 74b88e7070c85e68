/** The end of erased skills in the mirror, whose packs hold every state of the branch that was fetched. */
import { listLocatedSkills } from "../content/exported.ts";
import type { SyncContext } from "../content/context.ts";

/**
 * Makes the mirror afresh at the end of a sync, where skills were erased before it began. As long as the branch has the
 * directory of one it would only be fetched again: the sync that comes after its removal does it then. Stopped in between, it
 * is done once more.
 */
export async function purgeErased({ app, connection, mirror, remote, signal }: SyncContext): Promise<void> {
  const { _id: id, tenantId, branch, erasures } = connection;
  if (erasures === undefined) return;
  const bases = await app.storage.syncBases.listOf(id);
  const there = new Set((await listLocatedSkills(app, tenantId)).map((skill) => skill.id));
  if (bases.some(({ skillId }) => !there.has(skillId))) return;
  await mirror.drop();
  await app.storage.connections.clearErasures(id, erasures);
  try {
    // Now, since what is pushed from here on is known by its author only where it is fetched onto what was there before.
    await mirror.fetch(remote, branch, { signal });
  } catch (error) {
    app.log.warn({ error, connection: id }, "a mirror that was dropped waits for the next sync");
  }
}
