/** Skills and their versions over HTTP; reads of their bytes are in `content-routes.ts`. */
import { MovedSkillPayload } from "../../contract/payloads/folders.ts";
import {
  ChangedSkillPayload,
  ResolveResult,
  SkillDetailPayload,
  SkillPayload,
} from "../../contract/payloads/skills.ts";
import type { App } from "../app.ts";
import { Page, routesOf, type Route } from "../http/route.ts";
import { requiredServersOf } from "../mcp-servers/required.ts";
import { skillAccessRoutes } from "./access/access-routes.ts";
import { presentSkillExposure } from "./access/exposure.ts";
import { analyticsRoutes } from "./analytics/routes.ts";
import { catalogRoutes } from "./catalog/routes.ts";
import { collectionRoutes } from "./collections/routes.ts";
import { findingRoutes } from "./findings/routes.ts";
import { followingRoutes } from "./following/routes.ts";
import { loadSkill, prefetchSkill, readsAsMember } from "./load.ts";
import { warningsAbout } from "./marks/marks.ts";
import { presentSkill, presentSkillDetail, presentVersion } from "./present.ts";
import { findOrigin } from "./publish/copy-skill.ts";
import { publishRoutes } from "./publish/routes.ts";
import { contentRoutes } from "./read/content-routes.ts";
import { serverDeletionRoutes } from "./required-servers/deletion.ts";
import { resolveSkill } from "./resolve.ts";
import { MoveSkill, ResolveQuery, SkillParams, UpdateSkill } from "./schema.ts";
import { foundByRoutes } from "./search/found-by/routes.ts";
import { searchRoutes } from "./search/routes.ts";
import { ListQuery } from "./search/schema.ts";
import { listSkills } from "./search/search.ts";
import { synonymRoutes } from "./search/synonyms.ts";
import { moveSkill } from "./settings/move.ts";
import { deleteSkill, updateSkill } from "./settings/settings.ts";
import { shareRoutes } from "./share/routes.ts";
import { selectVersion } from "./versions/select-version.ts";
import { versionRoutes } from "./versions/version-routes.ts";

const route = routesOf({ tag: "Skills", auth: "required" });

export function skillRoutes(app: App): Route[] {
  return [
    ...catalogRoutes(app),
    ...collectionRoutes(app),
    ...searchRoutes(app),
    ...synonymRoutes(app),
    ...foundByRoutes(app),
    ...listRoutes(app),
    ...publishRoutes(app),
    ...versionRoutes(app),
    ...itemRoutes(app),
    ...contentRoutes(app),
    ...analyticsRoutes(app),
    ...findingRoutes(app),
    ...skillAccessRoutes(app),
    ...shareRoutes(app),
    ...followingRoutes(app),
    ...serverDeletionRoutes(app),
  ];
}

function listRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills",
      summary: "List the skills of your organizations",
      signable: true,
      query: ListQuery,
      data: SkillPayload,
      page: true,
      budget: "search",
      async handle({ actor, query }) {
        const page = await listSkills(app, actor, query);
        return new Page(
          page.items.map((skill) => presentSkill(skill, { isMember: true })),
          page.nextCursor,
        );
      },
    }),
    route({
      method: "get",
      path: "/api/skills/resolve",
      summary: "Resolve a slug, org/slug, publicId or share URL, and a pin",
      auth: "optional",
      crossOrigin: "anonymous",
      query: ResolveQuery,
      data: ResolveResult,
      async handle({ actor, query }) {
        const { skill, version, own } = await resolveSkill(app, actor, query.ref, query.version);
        const requiredMcpServers = await requiredServersOf(app, actor, skill);
        const warnings = warningsAbout(skill, version);
        return {
          skill: { ...presentSkill(skill), requiredMcpServers },
          version: presentVersion(version, skill),
          own,
          warnings: warnings.length === 0 ? undefined : warnings,
        };
      },
    }),
  ];
}

function itemRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill",
      summary: "Read a skill",
      auth: "optional",
      crossOrigin: "anonymous",
      params: SkillParams,
      data: SkillDetailPayload,
      prefetch: prefetchSkill(app),
      async handle({ actor, params, prefetched }) {
        const skill = await loadSkill(app, actor, params.skill, "skill:read", { prefetched });
        const version = await selectVersion(app, skill, { kind: "current" });
        const detail = presentSkillDetail(skill, version, {
          isMember: await readsAsMember(app, actor, skill),
        });
        const requiredMcpServers = await requiredServersOf(app, actor, skill);
        return { ...detail, requiredMcpServers, origin: await findOrigin(app, actor, skill) };
      },
    }),
    route({
      method: "put",
      path: "/api/skills/:skill",
      summary: "Change a skill's name, description, visibility, tags or required MCP servers",
      signable: true,
      params: SkillParams,
      body: UpdateSkill,
      data: ChangedSkillPayload,
      async handle({ actor, params, body }) {
        const { skill, exposure, readers } = await updateSkill(app, actor, params.skill, body);
        const version = await selectVersion(app, skill, { kind: "current" });
        return {
          ...presentSkillDetail(skill, version),
          requiredMcpServers: await requiredServersOf(app, actor, skill),
          exposure: await presentSkillExposure(app, exposure),
          readers,
        };
      },
    }),
    route({
      method: "delete",
      path: "/api/skills/:skill",
      summary: "Delete a skill with all its versions",
      signable: true,
      params: SkillParams,
      data: null,
      handle: ({ actor, params }) => deleteSkill(app, actor, params.skill),
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/move",
      summary: "Move a skill to another folder; its slug, publicId and versions stay",
      params: SkillParams,
      body: MoveSkill,
      data: MovedSkillPayload,
      async handle({ actor, params, body }) {
        const { skill, exposure, ...moved } = await moveSkill(app, actor, params.skill, body);
        return {
          skill: presentSkill(skill),
          ...moved,
          exposure: await presentSkillExposure(app, exposure),
        };
      },
    }),
  ];
}
