/**
 * Numbers of members and skills of organizations. Small organizations are counted; a large one has the numbers of the
 * last count, which is repeated in the background once it is older than ten minutes, and at once after a day.
 */
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import type { App } from "../app.ts";
import { perApp } from "../per-app.ts";

/** Members or skills from which on an organization is large. */
const largeSize = 1000;
const freshMs = 10 * 60_000;
const maxAgeMs = 24 * 3_600_000;

export interface OrganizationSize {
  members: number;
  skills: number;
  countedAt: Date;
}

const counting = perApp(() => new SingleFlight<void>(1));

/** Sizes by organization. */
export async function sizesOf(app: App, tenantIds: string[]): Promise<Map<string, OrganizationSize>> {
  // A count of a machine whose clock is ahead is not kept for longer than another one.
  const ageOf = ({ countedAt }: OrganizationSize) => Math.abs(app.now().getTime() - countedAt.getTime());
  const stored = new Map(
    (await app.storage.organizationSizes.list(tenantIds))
      .filter((size) => ageOf(size) < maxAgeMs)
      .map(({ _id, ...size }) => [_id, size]),
  );
  for (const [tenantId, size] of stored)
    if (ageOf(size) >= freshMs)
      app.background("count an organization", () =>
        counting(app).run(tenantId, () => renewSize(app, tenantId)),
      );
  const counted = await countSizes(
    app,
    tenantIds.filter((id) => !stored.has(id)),
  );
  return new Map([...stored, ...counted]);
}

const isLarge = ({ members, skills }: OrganizationSize) => Math.max(members, skills) >= largeSize;

/** Counts an organization whose size is stored. One that is not large any more has none. */
async function renewSize(app: App, tenantId: string): Promise<void> {
  const [size] = (await countSizes(app, [tenantId])).values();
  if (!isLarge(size!)) await app.storage.organizationSizes.remove(tenantId);
}

async function countSizes(app: App, tenantIds: string[]): Promise<Map<string, OrganizationSize>> {
  if (tenantIds.length === 0) return new Map();
  const { overviews, organizationSizes } = app.storage;
  const countedAt = app.now();
  const [members, skills] = await Promise.all([
    overviews.countMembers(tenantIds),
    overviews.countSkills(tenantIds),
  ]);
  const sizes = new Map(
    tenantIds.map((id) => [id, { members: members.get(id) ?? 0, skills: skills.get(id) ?? 0, countedAt }]),
  );
  for (const [_id, size] of sizes) if (isLarge(size)) await organizationSizes.put({ _id, ...size });
  return sizes;
}
