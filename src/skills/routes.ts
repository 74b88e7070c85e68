/** Skills and their versions over HTTP; reads of their bytes are in `content-routes.ts`. */
import { MovedSkillPayload } from "../../contract/payloads/organizations/folders.ts";
import {
  ChangedSkillPayload,
  ResolveResult,
  SkillDetailPayload,
  SkillPayload,
} from "../../contract/payloads/skills/skills.ts";
import type { App } from "../app.ts";
import { Page, routesOf, type Route } from "../http/route.ts";
import { requiredServersOf } from "../mcp-servers/required.ts";
import { skillAccessRoutes } from "./access/access-routes.ts";
import { presentSkillExposure } from "./access/exposure.ts";
import { analyticsRoutes } from "./analytics/routes.ts";
import { catalogRoutes } from "./catalog/routes.ts";
import { channelRoutes } from "./channels/routes.ts";
import { collectionRoutes } from "./collections/routes.ts";
import { findingRoutes } from "./findings/routes.ts";
import { followingRoutes } from "./following/routes.ts";
import { loadSkill, prefetchSkill, readsAsMember } from "./load.ts";
import { readOwnerTeams } from "./owner-teams.ts";
import { presentSkill, presentSkillDetail, presentVersion } from "./present.ts";
import { provenanceRoutes } from "./provenance/routes.ts";
import { findOrigin } from "./publish/copy-skill.ts";
import { publishRoutes } from "./publish/routes.ts";
import { reachRoutes } from "./reach/routes.ts";
import { contentRoutes } from "./read/content-routes.ts";
import { serverDeletionRoutes } from "./required-servers/deletion.ts";
import { resolveSkill } from "./resolve.ts";
import { reviewRoutes } from "./review/routes.ts";
import { scanRoutes } from "./scan/routes.ts";
import { MoveSkill, ResolveQuery, SkillParams, UpdateSkill } from "./schema.ts";
import { foundByRoutes } from "./search/found-by/routes.ts";
import { searchRoutes } from "./search/routes.ts";
import { ListQuery } from "./search/schema.ts";
import { listSkills } from "./search/search.ts";
import { synonymRoutes } from "./search/synonyms.ts";
import { moveSkill } from "./settings/move.ts";
import { deleteSkill, updateSkill } from "./settings/settings.ts";
import { shareRoutes } from "./share/routes.ts";
import { slugRoutes } from "./slugs/routes.ts";
import { shownVersion } from "./versions/select-version.ts";
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
    ...channelRoutes(app),
    ...slugRoutes(app),
    ...reviewRoutes(app),
    ...provenanceRoutes(app),
    ...itemRoutes(app),
    ...contentRoutes(app),
    ...analyticsRoutes(app),
    ...reachRoutes(app),
    ...findingRoutes(app),
    ...scanRoutes(app),
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
      id: "listSkills",
      failures: ["mfa_required", "reauthentication_required", "not_found", "ambiguous", "refused"],
      summary: "List the skills of your organizations",
      signable: true,
      query: ListQuery,
      data: SkillPayload,
      page: true,
      budget: "search",
      async handle({ actor, query }) {
        const page = await listSkills(app, actor, query);
        const reader = { isMember: true, teams: await readOwnerTeams(app, page.items) };
        return new Page(
          page.items.map((skill) => presentSkill(skill, reader)),
          page.nextCursor,
        );
      },
    }),
    route({
      method: "get",
      path: "/api/skills/resolve",
      id: "resolveSkill",
      failures: ["sso_required", "mfa_required", "reauthentication_required", "not_found", "ambiguous"],
      summary: "Resolve a slug, org/slug, publicId or share URL, and a pin",
      auth: "optional",
      crossOrigin: "anonymous",
      query: ResolveQuery,
      data: ResolveResult,
      async handle({ actor, query }) {
        const { skill, version, own, remove, warnings } = await resolveSkill(app, actor, query);
        const requiredMcpServers = await requiredServersOf(app, actor, skill);
        return {
          skill: { ...presentSkill(skill), requiredMcpServers },
          version: presentVersion(version, skill),
          own,
          warnings: warnings.length === 0 ? undefined : warnings,
          remove,
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
      id: "getSkill",
      summary: "Read a skill",
      auth: "optional",
      crossOrigin: "anonymous",
      params: SkillParams,
      data: SkillDetailPayload,
      prefetch: prefetchSkill(app),
      async handle({ actor, params, prefetched }) {
        const skill = await loadSkill(app, actor, params.skill, "skill:read", { prefetched });
        const version = await shownVersion(app, skill);
        const isMember = await readsAsMember(app, actor, skill);
        const teams = isMember ? await readOwnerTeams(app, [skill]) : undefined;
        const detail = presentSkillDetail(skill, version, { isMember, teams });
        const requiredMcpServers = await requiredServersOf(app, actor, skill);
        return { ...detail, requiredMcpServers, origin: await findOrigin(app, actor, skill) };
      },
    }),
    route({
      method: "put",
      path: "/api/skills/:skill",
      id: "updateSkill",
      failures: ["conflict", "refused"],
      summary: "Change a skill's name, description, visibility, tags, owner team or required MCP servers",
      signable: true,
      params: SkillParams,
      body: UpdateSkill,
      data: ChangedSkillPayload,
      async handle({ actor, params, body }) {
        const { skill, exposure, ...planned } = await updateSkill(app, actor, params.skill, body);
        const version = await shownVersion(app, skill);
        return {
          ...presentSkillDetail(skill, version, {
            isMember: false,
            teams: await readOwnerTeams(app, [skill]),
          }),
          requiredMcpServers: await requiredServersOf(app, actor, skill),
          exposure: await presentSkillExposure(app, exposure),
          ...planned,
        };
      },
    }),
    route({
      method: "delete",
      path: "/api/skills/:skill",
      id: "deleteSkill",
      summary: "Delete a skill with all its versions",
      signable: true,
      params: SkillParams,
      data: null,
      handle: ({ actor, params }) => deleteSkill(app, actor, params.skill),
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/move",
      id: "moveSkill",
      failures: ["already_exists", "conflict", "limit_reached", "managed_folder"],
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
