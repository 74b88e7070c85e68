/** People put into organizations as the service itself would have. */
import type { App } from "../../src/app.ts";
import { mendOwners } from "../../src/orgs/owners.ts";

export async function addMember(
  app: App,
  org: { id: string; slug: string },
  user: { id: string; username: string },
  role: string,
): Promise<void> {
  await app.storage.memberships.insert({
    _id: app.newId(),
    tenantId: org.id,
    tenantSlug: org.slug,
    tenantName: org.slug,
    userId: user.id,
    username: user.username,
    nameKeys: [user.username],
    role,
    createdAt: app.now(),
  });
  await mendOwners(app, org.id);
}
