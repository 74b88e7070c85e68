/** Skills and their versions over HTTP; reads of their bytes are in `content-routes.ts`. */
import {
  CatalogItem,
  DiffPayload,
  PublishResult,
  ResolveResult,
  SkillDetailPayload,
  SkillPayload,
  StoredUploadPayload,
  UploadPayload,
  VersionPayload,
  VersionResult,
} from "../../contract/payloads.ts";
import { MovedSkillPayload } from "../../contract/payloads-folders.ts";
import type { App } from "../app.ts";
import { Page, route, type Route } from "../http/route.ts";
import { analyticsRoutes } from "./analytics-routes.ts";
import { contentRoutes } from "./content-routes.ts";
import { diffVersions } from "./diff.ts";
import { listVersions } from "./list-versions.ts";
import { moveSkill } from "./move.ts";
import { loadSkill, selectVersion } from "./load.ts";
import { presentCatalogItem, presentSkill, presentSkillDetail, presentVersion, skillUrl } from "./present.ts";
import { publishSkill } from "./publish-skill.ts";
import { publishVersion } from "./publish-version.ts";
import { resolveSkill } from "./resolve.ts";
import {
  AnnounceUpload,
  DiffQuery,
  ExploreQuery,
  ListQuery,
  MoveSkill,
  PublishSkill,
  PublishVersion,
  ResolveQuery,
  RevertSkill,
  SkillParams,
  UpdateSkill,
  UploadParams,
  VersionsQuery,
} from "./schema.ts";
import { exploreSkills, listSkills } from "./search.ts";
import { deleteSkill, revertSkill, updateSkill } from "./settings.ts";
import { shareRoutes } from "./share-routes.ts";
import { announceUpload, announcedSha256, storeUpload } from "./uploads.ts";

const tag = "Skills";

export function skillRoutes(app: App): Route[] {
  return [
    ...listRoutes(app),
    ...publishRoutes(app),
    ...itemRoutes(app),
    ...contentRoutes(app),
    ...analyticsRoutes(app),
    ...uploadRoutes(app),
    ...shareRoutes(app),
  ];
}

function listRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills",
      summary: "List the skills of your organizations",
      tag,
      auth: "required",
      signable: true,
      query: ListQuery,
      data: SkillPayload,
      page: true,
      budget: "search",
      async handle({ actor, query }) {
        const page = await listSkills(app, actor, query);
        return new Page(page.items.map(presentSkill), page.nextCursor);
      },
    }),
    route({
      method: "get",
      path: "/api/explore",
      summary: "Search the public catalog",
      tag,
      auth: "optional",
      query: ExploreQuery,
      data: CatalogItem,
      page: true,
      budget: "search",
      async handle({ actor, query }) {
        const page = await exploreSkills(app, actor, query);
        return new Page(page.items.map(presentCatalogItem), page.nextCursor);
      },
    }),
    route({
      method: "get",
      path: "/api/skills/resolve",
      summary: "Resolve a slug, org/slug, publicId or share URL, and a pin",
      tag,
      auth: "optional",
      query: ResolveQuery,
      data: ResolveResult,
      async handle({ actor, query }) {
        const { skill, version } = await resolveSkill(app, actor, query.ref, query.version);
        return { skill: presentSkill(skill), version: presentVersion(version, skill) };
      },
    }),
  ];
}

function publishRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/skills",
      summary: "Publish a skill: create it, or append a version to the one of that name",
      tag,
      auth: "required",
      body: PublishSkill,
      status: 201,
      data: PublishResult,
      budget: "publish",
      async handle({ actor, body }) {
        const { skill, version, ...published } = await publishSkill(app, actor, body);
        return {
          ...published,
          skill: presentSkill(skill),
          version: presentVersion(version, skill),
          url: skillUrl(app, skill),
        };
      },
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/versions",
      summary: "Push a new version",
      tag,
      auth: "required",
      signable: true,
      params: SkillParams,
      body: PublishVersion,
      status: 201,
      data: VersionResult,
      budget: "publish",
      async handle({ actor, params, body }) {
        const { skill, version, unchanged, warnings } = await publishVersion(app, actor, params.skill, body);
        return { ...presentVersion(version, skill), unchanged, warnings };
      },
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/versions",
      summary: "List versions, newest first",
      tag,
      auth: "optional",
      params: SkillParams,
      query: VersionsQuery,
      data: VersionPayload,
      page: true,
      async handle({ actor, params, query }) {
        const skill = await loadSkill(app, actor, params.skill, "skill:read");
        const page = await listVersions(app, skill, query);
        return new Page(
          page.items.map((version) => presentVersion(version, skill)),
          page.nextCursor,
        );
      },
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/move",
      summary: "Move a skill to another folder; its slug, publicId and versions stay",
      tag,
      auth: "required",
      params: SkillParams,
      body: MoveSkill,
      data: MovedSkillPayload,
      async handle({ actor, params, body }) {
        const { skill, ...moved } = await moveSkill(app, actor, params.skill, body);
        return { skill: presentSkill(skill), ...moved };
      },
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/revert",
      summary: "Make an earlier version current again",
      tag,
      auth: "required",
      signable: true,
      params: SkillParams,
      body: RevertSkill,
      data: SkillPayload,
      handle: async ({ actor, params, body }) =>
        presentSkill(await revertSkill(app, actor, params.skill, body)),
    }),
  ];
}

function itemRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill",
      summary: "Read a skill",
      tag,
      auth: "optional",
      params: SkillParams,
      data: SkillDetailPayload,
      async handle({ actor, params }) {
        const skill = await loadSkill(app, actor, params.skill, "skill:read");
        return presentSkillDetail(skill, await selectVersion(app, skill, { kind: "current" }));
      },
    }),
    route({
      method: "put",
      path: "/api/skills/:skill",
      summary: "Change a skill's name, description, visibility or tags",
      tag,
      auth: "required",
      signable: true,
      params: SkillParams,
      body: UpdateSkill,
      data: SkillDetailPayload,
      async handle({ actor, params, body }) {
        const skill = await updateSkill(app, actor, params.skill, body);
        return presentSkillDetail(skill, await selectVersion(app, skill, { kind: "current" }));
      },
    }),
    route({
      method: "delete",
      path: "/api/skills/:skill",
      summary: "Delete a skill with all its versions",
      tag,
      auth: "required",
      signable: true,
      params: SkillParams,
      data: null,
      handle: ({ actor, params }) => deleteSkill(app, actor, params.skill),
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/diff",
      summary: "Compare two versions",
      tag,
      auth: "optional",
      params: SkillParams,
      query: DiffQuery,
      data: DiffPayload,
      budget: "diff",
      async handle({ actor, params, query }) {
        const skill = await loadSkill(app, actor, params.skill, "skill:read");
        return diffVersions(app, skill, query.from, query.to);
      },
    }),
  ];
}

function uploadRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/uploads",
      summary: "Announce a package's zip, to be sent by PUT and named in a publish",
      tag: "Uploads",
      auth: "required",
      body: AnnounceUpload,
      signable: true,
      status: 201,
      data: UploadPayload,
      budget: "upload",
      async handle({ actor, body }) {
        const upload = await announceUpload(app, actor, body);
        return {
          uploadId: upload._id,
          url: `${app.config.baseUrl}/api/uploads/${upload._id}`,
          expiresAt: upload.expiresAt.toISOString(),
        };
      },
    }),
    route({
      method: "put",
      path: "/api/uploads/:upload",
      summary: "Send the bytes of an announced upload",
      tag: "Uploads",
      auth: "required",
      params: UploadParams,
      stream: true,
      announcedSha256: ({ upload }, caller) => announcedSha256(app, upload, caller),
      signable: true,
      data: StoredUploadPayload,
      budget: "upload",
      async handle({ actor, params, request }) {
        const upload = await storeUpload(app, actor, params.upload, request.stream);
        return { uploadId: upload._id, size: upload.size, sha256: upload.sha256 };
      },
    }),
  ];
}
