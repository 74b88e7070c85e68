/** Installs of one member, for those who read the analytics of an organization. */
import type { MemberInstallPayload } from "../../../contract/payloads/usage/analytics.ts";
import { isId } from "../../../storage/database.ts";
import type { Actor } from "../../access/actor.ts";
import { pageOfInstalls } from "../../analytics/install-lists.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import type { Page } from "../../http/route.ts";
import { loadTenant } from "../../orgs/service.ts";
import { keepAllowed } from "../load.ts";
import { presentInstall } from "./list-installs.ts";
import type { ListInstalls } from "./schema.ts";

/**
 * A member's installs of the organization's skills whose analytics the caller may read, latest report first. Requires
 * `member:read` and `analytics:read`.
 */
export async function listMemberInstalls(
  app: App,
  actor: Actor,
  { tenant: tenantRef, userId }: { tenant: string; userId: string },
  query: ListInstalls,
): Promise<Page<MemberInstallPayload>> {
  const { installs, memberships, skills } = app.storage;
  await loadTenant(app, actor, tenantRef, "analytics:read");
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "member:read");
  if (!isId(userId) || !(await memberships.find(tenantId, userId))) throw notFound("member", userId);
  return pageOfInstalls(
    query,
    (after, limit) => installs.listOfMember(tenantId, userId, after, limit),
    async (rows) => {
      const found = await skills.listByIds([...new Set(rows.map((row) => row.skillId))]);
      const readable = await keepAllowed(app, actor, "analytics:read", found);
      const byId = new Map(readable.map((skill) => [skill._id, skill]));
      return rows.flatMap((row) => {
        const skill = byId.get(row.skillId);
        if (!skill) return [];
        const { _id: id, slug, name } = skill;
        return [{ row, item: { id: row._id, skill: { id, slug, name }, ...presentInstall(row, skill) } }];
      });
    },
  );
}
