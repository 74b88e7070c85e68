/** Routes of a skill's versions: list, marks, revert, comparison. */
import {
  DiffPayload,
  MarkedVersionPayload,
  RevertedSkillPayload,
  VersionPayload,
} from "../../../contract/payloads/skills/skills.ts";
import type { App } from "../../app.ts";
import { Page, Reply, routesOf, type Route } from "../../http/route.ts";
import { diffVersions } from "../diff/diff-versions.ts";
import { patchOf } from "../diff/patch-text.ts";
import { loadSkill, prefetchSkill, readsAsMember } from "../load.ts";
import { markVersion, planMark } from "../marks/change-state.ts";
import { presentSkill, presentVersion } from "../present.ts";
import { DiffQuery, MarkVersion, RevertSkill, SkillParams, VersionParams, VersionsQuery } from "../schema.ts";
import { revertSkill } from "../settings/settings.ts";
import { listVersions } from "./list-versions.ts";
import { readVersionRef, selectVersion } from "./select-version.ts";

const route = routesOf({ tag: "Skills", auth: "required" });

export function versionRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/versions",
      id: "listVersions",
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
      method: "get",
      path: "/api/skills/:skill/versions/:version",
      id: "getVersion",
      summary: "Read a version by its number or exact semver",
      auth: "optional",
      crossOrigin: "anonymous",
      params: VersionParams,
      data: VersionPayload,
      prefetch: prefetchSkill(app),
      async handle({ actor, params, prefetched }) {
        const skill = await loadSkill(app, actor, params.skill, "skill:read", { prefetched });
        const version = await selectVersion(app, skill, readVersionRef(params.version));
        return presentVersion(version, skill, { isMember: await readsAsMember(app, actor, skill) });
      },
    }),
    route({
      method: "patch",
      path: "/api/skills/:skill/versions/:version",
      id: "markVersion",
      failures: ["conflict", "limit_reached", "refused"],
      summary: "Deprecate or yank a version, or undo that",
      signable: true,
      params: VersionParams,
      body: MarkVersion,
      data: MarkedVersionPayload,
      async handle({ actor, params, body: { dryRun, ...change } }) {
        if (dryRun) {
          const planned = await planMark(app, actor, params.skill, params.version, change);
          return { ...presentVersion(planned.version, planned.skill), reach: planned.reach };
        }
        const { skill, version } = await markVersion(app, actor, params.skill, params.version, change);
        return presentVersion(version, skill);
      },
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/revert",
      id: "revertSkill",
      failures: ["conflict", "refused"],
      summary: "Make an earlier version current again",
      signable: true,
      params: SkillParams,
      body: RevertSkill,
      data: RevertedSkillPayload,
      async handle({ actor, params, body }) {
        const { skill, reach } = await revertSkill(app, actor, params.skill, body);
        return { ...presentSkill(skill), reach };
      },
    }),
    diffRoute(app),
  ];
}

function diffRoute(app: App): Route {
  return route({
    method: "get",
    path: "/api/skills/:skill/diff",
    id: "diffVersions",
    failures: ["payload_too_large"],
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
