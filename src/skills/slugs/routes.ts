/** Routes of renames, and of an organization's reserved slugs. */
import { z } from "zod";
import { RenamedSkillPayload, ReservedSlugPayload } from "../../../contract/payloads/skills/slugs.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { ListQuery, TenantParams } from "../../orgs/schema.ts";
import { presentSkill } from "../present.ts";
import { RenameSkill, SkillParams } from "../schema.ts";
import { renameSkill } from "../settings/rename.ts";
import { freeSlugOf, listReservedSlugs } from "./reserved-slugs.ts";

const route = routesOf({ tag: "Skills", auth: "required" });

const SlugParams = TenantParams.extend({ slug: z.string().min(1).max(100) });

export function slugRoutes(app: App): Route[] {
  const path = "/api/tenants/:tenant/reserved-slugs";
  return [
    route({
      method: "post",
      path: "/api/skills/:skill/rename",
      id: "renameSkill",
      failures: ["already_exists", "conflict", "limit_reached", "refused"],
      summary: "Give a skill another slug; the previous one leads to it",
      params: SkillParams,
      body: RenameSkill,
      data: RenamedSkillPayload,
      async handle({ actor, params, body }) {
        const { skill, ...renamed } = await renameSkill(app, actor, params.skill, body);
        return { skill: presentSkill(skill), ...renamed };
      },
    }),
    route({
      method: "get",
      path,
      id: "listReservedSlugs",
      summary: "List the slugs that no new skill gets: of renamed skills, and of skills deleted lately",
      params: TenantParams,
      query: ListQuery,
      data: ReservedSlugPayload,
      page: true,
      handle: ({ actor, params, query }) => listReservedSlugs(app, actor, params.tenant, query),
    }),
    route({
      method: "delete",
      path: `${path}/:slug`,
      id: "freeSlug",
      summary: "Free a reserved slug",
      params: SlugParams,
      data: null,
      handle: ({ actor, params }) => freeSlugOf(app, actor, params.tenant, params.slug),
    }),
  ];
}
