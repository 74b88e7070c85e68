import { AttentionPayload } from "../../contract/payloads/organizations/attention.ts";
import { limitsOf, isNarrowed } from "../access/decide.ts";
import type { App } from "../app.ts";
import { routesOf, type Route } from "../http/route.ts";
import { TenantParams } from "../orgs/schema.ts";
import { loadTenant } from "../orgs/service.ts";
import { requireUser } from "../users/load.ts";
import { readAttention } from "./attention.ts";

const route = routesOf({ tag: "Attention", auth: "required", budget: "search" });

export function attentionRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/attention",
      id: "getAttention",
      failures: ["reauthentication_required"],
      summary:
        "What needs you: problems in your organizations, and your own tokens, connectors, invitations and installs",
      data: AttentionPayload,
      handle: async ({ actor }) => {
        const user = requireUser(actor);
        const tenants = user.memberships.filter((membership) => !membership.deletionAt);
        return readAttention(app, user, tenants, { isPersonal: !isNarrowed(limitsOf(user)) });
      },
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/attention",
      id: "getOrgAttention",
      summary: "What needs a person in an organization, as far as you may see it",
      params: TenantParams,
      data: AttentionPayload,
      async handle({ actor, params }) {
        const { _id } = await loadTenant(app, actor, params.tenant, "member");
        const memberships = actor.kind === "anonymous" ? [] : actor.memberships;
        const tenants = memberships.filter(({ tenantId }) => tenantId === _id);
        return readAttention(app, actor, tenants, { isPersonal: false });
      },
    }),
  ];
}
