/** Publishes and staged uploads over HTTP. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { PublishPlan, VersionPlan } from "../../../contract/payloads/skills/plans.ts";
import { PublishResult, VersionResult } from "../../../contract/payloads/skills/skills.ts";
import {
  OpenUploadPayload,
  StoredUploadPayload,
  UploadPayload,
} from "../../../contract/payloads/skills/uploads.ts";
import type { UploadDoc } from "../../../storage/uploads.ts";
import type { Actor } from "../../access/actor.ts";
import { membershipIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { loadSkill, prefetchSkill } from "../load.ts";
import { presentSkill, presentVersion, skillUrl } from "../present.ts";
import {
  AnnounceUpload,
  CopySkill,
  PlanPublish,
  PlanVersion,
  PublishSkill,
  PublishVersion,
  SkillParams,
  UploadParams,
} from "../schema.ts";
import {
  announceUpload,
  announcedSha256,
  listUploads,
  removeUpload,
  storeUpload,
} from "./content/uploads.ts";
import { copySkill } from "./copy-skill.ts";
import type { Published } from "./create-skill.ts";
import { planPublish, planVersion } from "./plan-publish.ts";
import { publishSkill } from "./publish-skill.ts";
import { publishVersion } from "./publish-version.ts";

const route = routesOf({ tag: "Skills", auth: "required" });

export function publishRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/skills",
      id: "publishSkill",
      failures: [
        "quota_exceeded",
        "sso_required",
        "mfa_required",
        "reauthentication_required",
        "not_found",
        "already_exists",
        "ambiguous",
        "content_invalid",
        "package_invalid",
        "version_not_greater",
        "limit_reached",
        "managed_folder",
        "refused",
      ],
      summary: "Publish a skill: create it, or append a version to the one of that name",
      body: PublishSkill,
      status: 201,
      data: PublishResult,
      budget: "publish",
      async handle({ actor, body, request }) {
        return presentPublished(app, await publishSkill(app, actor, body, request.creation));
      },
      authorizeRepeat: ({ actor }, { skill }: PublishResult) => authorizePublisher(app, actor, skill.id),
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/versions",
      id: "pushVersion",
      failures: [
        "quota_exceeded",
        "content_invalid",
        "package_invalid",
        "version_not_greater",
        "limit_reached",
        "refused",
      ],
      summary: "Push a new version",
      signable: true,
      params: SkillParams,
      body: PublishVersion,
      status: 201,
      data: VersionResult,
      budget: "publish",
      prefetch: prefetchSkill(app),
      async handle({ actor, params, body, prefetched, request }) {
        const { creation } = request;
        const appended = await publishVersion(app, actor, params.skill, body, { creation, prefetched });
        const { skill, version, unchanged, warnings } = appended;
        return { ...presentVersion(version, skill, publisher), unchanged, warnings };
      },
      authorizeRepeat: ({ actor }, { skillId }: VersionResult) => authorizePublisher(app, actor, skillId),
    }),
    copyRoute(app),
    ...planRoutes(app),
    ...uploadRoutes(app),
  ];
}

function copyRoute(app: App): Route {
  return route({
    method: "post",
    path: "/api/skills/:skill/copy",
    id: "copySkill",
    failures: [
      "quota_exceeded",
      "already_exists",
      "ambiguous",
      "content_invalid",
      "version_not_greater",
      "limit_reached",
      "managed_folder",
      "refused",
    ],
    summary: "Copy a version of a skill to an organization of yours, as a new skill",
    params: SkillParams,
    body: CopySkill,
    status: 201,
    data: PublishResult,
    budget: "publish",
    async handle({ actor, params, body, request }) {
      const copied = await copySkill(app, actor, params.skill, body, request.creation);
      return presentPublished(app, copied);
    },
    authorizeRepeat: ({ actor }, { skill }: PublishResult) => authorizePublisher(app, actor, skill.id),
  });
}

/** Who publishes is shown the numbers of findings. */
const publisher = { isMember: true };

/** Throws unless the caller may read the skill as a member of its organization does. */
async function authorizePublisher(app: App, actor: Actor, skillId: string): Promise<void> {
  const skill = await loadSkill(app, actor, skillId, "skill:read");
  if (!membershipIn(actor, skill.tenantId))
    throw forbidden(`You are not a member of "${skill.tenantSlug}" any more.`, {
      kind: "skill",
      ref: skillId,
    });
}

function presentPublished(app: App, { skill, version, ...rest }: Published): PublishResult {
  return {
    ...rest,
    skill: presentSkill(skill, publisher),
    version: presentVersion(version, skill, publisher),
    url: skillUrl(app, skill),
  };
}

function planRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/skills/plan",
      id: "planPublish",
      failures: [
        "quota_exceeded",
        "reauthentication_required",
        "not_found",
        "already_exists",
        "ambiguous",
        "conflict",
        "version_not_greater",
        "limit_reached",
        "managed_folder",
        "refused",
      ],
      summary: "What a publish would do, by the digests of its content; changes nothing",
      body: PlanPublish,
      data: PublishPlan,
      budget: "publish",
      handle: ({ actor, body }) => planPublish(app, actor, body),
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/versions/plan",
      id: "planPush",
      failures: ["quota_exceeded", "conflict", "version_not_greater", "refused"],
      summary: "What a push would do, by the digests of its content; changes nothing",
      params: SkillParams,
      body: PlanVersion,
      data: VersionPlan,
      budget: "publish",
      handle: ({ actor, params, body }) => planVersion(app, actor, params.skill, body),
    }),
  ];
}

function uploadRoutes(app: App): Route[] {
  return [...ownUploadRoutes(app), ...sendingRoutes(app)];
}

const presentUpload = (app: App, { _id, expiresAt }: UploadDoc): UploadPayload => ({
  uploadId: _id,
  url: `${app.config.baseUrl}/api/uploads/${_id}`,
  expiresAt: expiresAt.toISOString(),
});

function ownUploadRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/uploads",
      id: "listUploads",
      pageBy: ["uploadId"],
      summary: "List your staged uploads, oldest first",
      tag: "Uploads",
      signable: true,
      data: z.array(OpenUploadPayload).max(limits.openUploads).meta({
        description: "all of them, unless `limit` is lower: the oldest is replaced by the eleventh",
      }),
      async handle({ actor }) {
        const uploads = await listUploads(app, actor);
        return uploads.map((upload) => ({
          ...presentUpload(app, upload),
          size: upload.size,
          sha256: upload.sha256,
          state: upload.state,
          createdAt: upload.createdAt.toISOString(),
        }));
      },
    }),
    route({
      method: "delete",
      path: "/api/uploads/:upload",
      id: "deleteUpload",
      failures: ["conflict"],
      summary: "Remove a staged upload",
      tag: "Uploads",
      params: UploadParams,
      signable: true,
      data: null,
      handle: ({ actor, params }) => removeUpload(app, actor, params.upload),
    }),
  ];
}

function sendingRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/uploads",
      id: "createUpload",
      failures: ["limit_reached"],
      summary: "Announce a package's zip, to be sent by PUT and named in a publish",
      tag: "Uploads",
      body: AnnounceUpload,
      signable: true,
      status: 201,
      data: UploadPayload,
      budget: "upload",
      handle: async ({ actor, body }) => presentUpload(app, await announceUpload(app, actor, body)),
      // An upload belongs to its caller.
      authorizeRepeat: async () => undefined,
    }),
    route({
      method: "put",
      path: "/api/uploads/:upload",
      id: "sendUpload",
      failures: ["conflict", "upload_mismatch"],
      summary: "Send the bytes of an announced upload",
      tag: "Uploads",
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
