/** Makes the share slots of anonymous identities match their skills after an interrupted share or deletion. */
import type { App } from "../../src/app.ts";
import { walkRows } from "../maintenance/walk.ts";

/** A slot or a skill younger than this may belong to a share in progress. */
const inProgressMs = 15 * 60_000;

export async function reconcileShares(app: App): Promise<void> {
  const { anonymousIdentities, tenantSkills } = app.storage;
  await walkRows(
    app,
    "shares",
    (after, limit) => anonymousIdentities.listAfter(after, limit),
    async (identities) => {
      // Read after the slots: the skill of a confirmed slot is here, unless it was deleted.
      const skills = await tenantSkills.listShared(identities.map(({ _id }) => _id));
      for (const identity of identities)
        await reconcileIdentity(
          app,
          identity,
          skills.filter(({ tenantId }) => tenantId === identity._id),
        );
    },
  );
}

type Storage = App["storage"];
type Identity = Awaited<ReturnType<Storage["anonymousIdentities"]["listAfter"]>>[number];
type SharedSkill = Awaited<ReturnType<Storage["tenantSkills"]["listShared"]>>[number];

async function reconcileIdentity(app: App, identity: Identity, skills: SharedSkill[]): Promise<void> {
  const { anonymousIdentities, pathReservations } = app.storage;
  const now = app.now();
  const isInProgress = (since: Date) => now.getTime() - since.getTime() < inProgressMs;
  for (const { skillId, reservedAt } of identity.shares) {
    if (reservedAt && isInProgress(reservedAt)) continue;
    if (skills.some((skill) => skill._id === skillId)) {
      if (reservedAt) await anonymousIdentities.confirmSlot(identity._id, skillId);
      continue;
    }
    await pathReservations.releaseAllOf(skillId);
    await anonymousIdentities.releaseSlot(identity._id, skillId, now, reservedAt !== undefined);
  }
  const hasSlot = (skill: SharedSkill) => identity.shares.some((slot) => slot.skillId === skill._id);
  for (const skill of skills) {
    if (hasSlot(skill) || isInProgress(skill.createdAt)) continue;
    const slot = { skillId: skill._id, slug: skill.slug };
    await anonymousIdentities.addSlot(identity._id, slot);
  }
}
