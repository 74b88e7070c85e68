/** Makes the places of anonymous shares agree with the skills that are there, whatever a stop has left. */
import type { App } from "../../src/app.ts";

const batch = 200;
/** A place or a skill younger than this may belong to a share under way. */
const underWayMs = 15 * 60_000;

export async function tendShares(app: App): Promise<void> {
  const { anonymousIdentities, tenantSkills } = app.storage;
  for (let last: string | undefined; ;) {
    const identities = await anonymousIdentities.listAfter(last, batch);
    if (identities.length === 0) return;
    last = identities.at(-1)!._id;
    // Read after the places: a place that was kept for good has its skill here, unless that was deleted.
    const skills = await tenantSkills.listShared(identities.map((identity) => identity._id));
    for (const identity of identities)
      await tend(
        app,
        identity,
        skills.filter((skill) => skill.tenantId === identity._id),
      );
  }
}

type Storage = App["storage"];
type Identity = Awaited<ReturnType<Storage["anonymousIdentities"]["listAfter"]>>[number];
type SharedSkill = Awaited<ReturnType<Storage["tenantSkills"]["listShared"]>>[number];

async function tend(app: App, identity: Identity, skills: SharedSkill[]): Promise<void> {
  const { anonymousIdentities, places } = app.storage;
  const now = app.now();
  const isUnderWay = (since: Date) => now.getTime() - since.getTime() < underWayMs;
  for (const { skillId, reservedAt } of identity.shares) {
    if (reservedAt && isUnderWay(reservedAt)) continue;
    if (skills.some((skill) => skill._id === skillId)) {
      if (reservedAt) await anonymousIdentities.confirmPlace(identity._id, skillId);
      continue;
    }
    await places.releaseAllOf(skillId);
    await anonymousIdentities.freePlace(identity._id, skillId, now, reservedAt !== undefined);
  }
  const isPlaced = (skill: SharedSkill) => identity.shares.some((place) => place.skillId === skill._id);
  for (const skill of skills) {
    if (isPlaced(skill) || isUnderWay(skill.createdAt)) continue;
    const place = { skillId: skill._id, slug: skill.slug };
    await anonymousIdentities.addPlace(identity._id, place);
  }
}
