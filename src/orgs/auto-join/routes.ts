import { AutoJoinPayload } from "../../../contract/payloads/accounts/sso-domains.ts";
import type { App } from "../../app.ts";
import { route, type Route } from "../../http/route.ts";
import { TenantParams } from "../schema.ts";
import { AutoJoin } from "./schema.ts";
import { changeAutoJoin, readAutoJoin } from "./settings.ts";

export function autoJoinRoutes(app: App): Route[] {
  const common = {
    path: "/api/tenants/:tenant/auto-join",
    tag: "Single sign-on",
    auth: "required",
    params: TenantParams,
    data: AutoJoinPayload,
  } as const;
  return [
    route({
      ...common,
      method: "get",
      id: "getAutoJoin",
      summary: "Read who becomes a member automatically",
      handle: ({ actor, params }) => readAutoJoin(app, actor, params.tenant),
    }),
    route({
      ...common,
      method: "put",
      id: "setAutoJoin",
      failures: ["domain_unverified"],
      summary: "Let people with a confirmed address in a verified domain become members, or stop that",
      body: AutoJoin,
      handle: ({ actor, params, body }) => changeAutoJoin(app, actor, params.tenant, body),
    }),
  ];
}
