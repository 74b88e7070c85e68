/** Routes of the access to a skill: the actions of each member and token, with the reasons. */
import {
  AccessCheckPayload,
  EffectiveAccessPayload,
} from "../../../contract/payloads/organizations/folders.ts";
import { AudienceSizePayload } from "../../../contract/payloads/skills/exposure.ts";
import type { App } from "../../app.ts";
import { presentAccess } from "../../folders/access/present-access.ts";
import { Page, routesOf, type Route } from "../../http/route.ts";
import { MemberQuery, TenantParams } from "../../orgs/schema.ts";
import { CheckAccess, ReadersQuery, SkillParams } from "../schema.ts";
import { countNewReaders } from "./count-readers.ts";
import { checkAccess, listSkillAccess } from "./effective.ts";

const route = routesOf({ tag: "Organizations", auth: "required" });

export function skillAccessRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/effective",
      id: "listSkillAccess",
      summary:
        "List the members and tokens of the organization with their access to a skill, and why they have it",
      tag: "Skills",
      params: SkillParams,
      query: MemberQuery,
      data: EffectiveAccessPayload,
      page: true,
      budget: "search",
      async handle({ actor, params, query }) {
        const { tree, page } = await listSkillAccess(app, actor, params.skill, query);
        return new Page(await presentAccess(app, { tree, actor }, page.items), page.nextCursor);
      },
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/access/check",
      id: "checkAccess",
      summary: "Check whether a member or token may do something with a skill or in a folder, and why",
      params: TenantParams,
      body: CheckAccess,
      data: AccessCheckPayload,
      budget: "search",
      async handle({ actor, params, body }) {
        const { tree, access, allowed } = await checkAccess(app, actor, params.tenant, body);
        const [presented] = await presentAccess(app, { tree, actor }, [access]);
        return { ...presented!, allowed };
      },
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/access/readers",
      id: "countReaders",
      failures: ["limit_reached", "managed_folder"],
      summary: "Count who could read a new skill in a folder, with a visibility",
      params: TenantParams,
      query: ReadersQuery,
      data: AudienceSizePayload,
      budget: "search",
      handle: ({ actor, params, query }) => countNewReaders(app, actor, params.tenant, query),
    }),
  ];
}
