/** Completes changes of users and groups that a crash has interrupted, and publishes their events. */
import type { ScimGroupDoc } from "../../storage/scim/groups.ts";
import type { App } from "../app.ts";
import { applyGroup } from "./groups/apply.ts";

export { completeUser } from "./users/apply.ts";

export async function completeGroup(app: App, group: ScimGroupDoc): Promise<void> {
  const tenant = await app.storage.tenants.find(group.tenantId);
  if (!tenant || tenant.erasing) return;
  await applyGroup({ app, tenant, ipHash: undefined }, group._id, undefined);
}
