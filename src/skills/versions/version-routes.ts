/** Routes of a skill's versions: list, marks, revert, comparison. */
import { DiffPayload, SkillPayload, VersionPayload } from "../../../contract/payloads/skills.ts";
import type { App } from "../../app.ts";
import { Page, Reply, routesOf, type Route } from "../../http/route.ts";
import { diffVersions } from "../diff/diff-versions.ts";
import { patchOf } from "../diff/patch-text.ts";
import { loadSkill, prefetchSkill, readsAsMember } from "../load.ts";
import { markVersion } from "../marks/mark-version.ts";
import { presentSkill, presentVersion } from "../present.ts";
import { DiffQuery, MarkVersion, RevertSkill, SkillParams, VersionParams, VersionsQuery } from "../schema.ts";
import { revertSkill } from "../settings/settings.ts";
import { listVersions } from "./list-versions.ts";

const route = routesOf({ tag: "Skills", auth: "required" });

export function versionRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/versions",
      summary: "List versions, newest first",
      auth: "optional",
      crossOrigin: "anonymous",
      params: SkillParams,
      query: VersionsQuery,
      data: VersionPayload,
      page: true,
      prefetch: prefetchSkill(app),
      async handle({ actor, params, query, prefetched }) {
        const skill = await loadSkill(app, actor, params.skill, "skill:read", { prefetched });
        const page = await listVersions(app, skill, query);
        const isMember = await readsAsMember(app, actor, skill);
        return new Page(
          page.items.map((version) => presentVersion(version, skill, { isMember })),
          page.nextCursor,
        );
      },
    }),
    route({
      method: "patch",
      path: "/api/skills/:skill/versions/:version",
      summary: "Deprecate or yank a version, or undo that",
      signable: true,
      params: VersionParams,
      body: MarkVersion,
      data: VersionPayload,
      async handle({ actor, params, body }) {
        const { skill, version } = await markVersion(app, actor, params.skill, params.version, body);
        return presentVersion(version, skill);
      },
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/revert",
      summary: "Make an earlier version current again",
      signable: true,
      params: SkillParams,
      body: RevertSkill,
      data: SkillPayload,
      handle: async ({ actor, params, body }) =>
        presentSkill(await revertSkill(app, actor, params.skill, body)),
    }),
    diffRoute(app),
  ];
}

function diffRoute(app: App): Route {
  return route({
    method: "get",
    path: "/api/skills/:skill/diff",
    summary: "Compare two versions; with Accept: text/x-diff as a text for git apply",
    auth: "optional",
    crossOrigin: "anonymous",
    params: SkillParams,
    query: DiffQuery,
    data: DiffPayload,
    budget: "diff",
    async handle({ actor, params, query, request }) {
      const skill = await loadSkill(app, actor, params.skill, "skill:read");
      const asText = request.header("accept").startsWith("text/x-diff");
      const options = { ...query, renames: query.renames ?? asText };
      if (!asText) return diffVersions(app, actor, skill, options);
      const text = await patchOf(app, actor, skill, options);
      return new Reply(text, { type: "text/x-diff; charset=utf-8", headers: { vary: "Accept" } });
    },
  });
}
