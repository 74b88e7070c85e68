/** `/{org}/clawhub`: the read side of ClawHub's interface (v1) for the skills of an organization. */
import type { Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { unauthenticated } from "../../errors.ts";
import { Reply, routesOf, type Route } from "../../http/route.ts";
import { notModified } from "../../http/service/conditional.ts";
import { openVersionFile } from "../../skills/read/content.ts";
import { fileReply } from "../../skills/read/file-reply.ts";
import { filesOf } from "../../skills/read/manifest.ts";
import { listVersions } from "../../skills/versions/list-versions.ts";
import { openPackageZip, packageZipDigest } from "../package-zip.ts";
import { publicRoute } from "../public-reply.ts";
import { findByFingerprint, recordFingerprints } from "./fingerprints.ts";
import {
  presentDetail,
  presentFound,
  presentListed,
  presentModeration,
  presentVersion,
  presentVersionFiles,
} from "./present.ts";
import {
  DownloadQuery,
  FileQuery,
  ListQuery,
  OrgParams,
  OwnerQuery,
  ResolveQuery,
  SearchQuery,
  SkillParams,
  VersionParams,
  VersionsQuery,
} from "./schema.ts";
import { flagOf, listAsked, loadAsked, selectAsked } from "./skills.ts";

const readOnly =
  "This registry is read-only for clawhub: publish, change and delete skills with svc, in the dashboard or over the API.";
const route = routesOf({ method: "get", tag: "Other clients", auth: "optional", crossOrigin: "anonymous" });
const base = "/:org/clawhub/api/v1";
const ofSkill = `${base}/skills/:slug`;
/** The client shows failures as they are. Browsers lend no one their session here. */
const common = {
  produces: "application/json",
  ignoresCookies: true,
  plainFailures: true,
  otherMethods: readOnly,
} as const;
/** A token may show more than a cache should. */
const privately = { "cache-control": "private, no-cache", vary: "Authorization" };

const json = (data: object) => new Reply(data, { type: "application/json" });

export function clawhubRoutes(app: App): Route[] {
  return [discoveryRoute(app), ...skillRoutes(app), ...contentRoutes(app), ...listRoutes(app), whoamiRoute()];
}

/** The same for every organization, so that it does not reveal which ones exist. */
function discoveryRoute(app: App): Route {
  return publicRoute({
    path: "/:org/.well-known/clawhub.json",
    summary: "Where ClawHub's client finds the skills of an organization",
    params: OrgParams,
    produces: "application/json",
    async handle({ params }) {
      const { baseUrl } = app.config;
      return json({ apiBase: `${baseUrl}/${params.org}/clawhub`, authBase: baseUrl });
    },
  });
}

function skillRoutes(app: App): Route[] {
  return [
    route({
      ...common,
      path: ofSkill,
      summary: "Read a skill, for ClawHub's client",
      params: SkillParams,
      query: OwnerQuery,
      async handle({ actor, params, query }) {
        const skill = await loadAsked(app, actor, { ...params, ...query });
        const [current, flag] = await Promise.all([selectAsked(app, skill, {}), flagOf(app, actor, skill)]);
        return json(presentDetail(skill, current, flag));
      },
    }),
    route({
      ...common,
      path: `${ofSkill}/versions`,
      summary: "List the versions of a skill, for ClawHub's client",
      params: SkillParams,
      query: VersionsQuery,
      async handle({ actor, params, query: { ownerHandle, ...page } }) {
        const skill = await loadAsked(app, actor, { ...params, ownerHandle });
        const { items, nextCursor } = await listVersions(app, skill, page);
        return json({ items: items.map(presentVersion), nextCursor });
      },
    }),
    route({
      ...common,
      path: `${ofSkill}/versions/:version`,
      summary: "Read a version of a skill, for ClawHub's client",
      params: VersionParams,
      query: OwnerQuery,
      async handle({ actor, params: { version: semver, ...params }, query }) {
        const skill = await loadAsked(app, actor, { ...params, ...query });
        const version = await selectAsked(app, skill, { version: semver });
        return json({
          version: presentVersionFiles(version, await filesOf(app, version)),
          skill: { slug: skill.slug, displayName: skill.name },
        });
      },
    }),
    route({
      ...common,
      path: `${ofSkill}/moderation`,
      summary: "Read whether a skill was flagged or taken down, for ClawHub's client",
      params: SkillParams,
      query: OwnerQuery,
      async handle({ actor, params, query }) {
        const skill = await loadAsked(app, actor, { ...params, ...query });
        return json(presentModeration(skill, await flagOf(app, actor, skill)));
      },
    }),
    route({
      ...common,
      path: `${base}/resolve`,
      summary: "Find the version of installed files, for ClawHub's client",
      params: OrgParams,
      query: ResolveQuery,
      async handle({ actor, params, query: { hash, ...asked } }) {
        const skill = await loadAsked(app, actor, { ...params, ...asked });
        const match = await findByFingerprint(app, skill, hash);
        return json({
          match: match ? { version: match.semver } : null,
          latestVersion: skill.withheld ? null : { version: skill.current.semver },
        });
      },
    }),
  ];
}

function contentRoutes(app: App): Route[] {
  return [
    route({
      ...common,
      path: `${ofSkill}/file`,
      summary: "Read a file of a skill, for ClawHub's client",
      params: SkillParams,
      query: FileQuery,
      produces: "application/octet-stream",
      async handle({ actor, params, query: { path, ownerHandle, ...selector }, request }) {
        const skill = await loadAsked(app, actor, { ...params, ownerHandle });
        const file = await openVersionFile(app, await selectAsked(app, skill, selector), path);
        return fileReply(request, file, path, privately);
      },
    }),
    route({
      ...common,
      path: `${base}/download`,
      summary: "Download a skill as a zip, for ClawHub's client",
      params: OrgParams,
      query: DownloadQuery,
      produces: "application/zip",
      async handle({ actor, params, query: { slug, ownerHandle, ...selector }, request }) {
        const skill = await loadAsked(app, actor, { ...params, slug, ownerHandle });
        const version = await selectAsked(app, skill, selector);
        const headers = { ...privately, etag: `"${(await packageZipDigest(app, version)).sha256}"` };
        const unmodified = notModified(request, headers);
        if (unmodified) return unmodified;
        await recordFingerprints(app, version);
        const zip = await openPackageZip(app, version);
        if (!request.isHead) recordDownload(app, actor, version);
        return new Reply(zip.body, {
          type: "application/zip",
          headers: { ...headers, "content-length": String(zip.size) },
        });
      },
    }),
  ];
}

function listRoutes(app: App): Route[] {
  return [
    route({
      ...common,
      path: `${base}/skills`,
      summary: "List the skills of an organization, for ClawHub's client",
      params: OrgParams,
      query: ListQuery,
      budget: "search",
      async handle({ actor, params, query }) {
        const { items, nextCursor } = await listAsked(app, actor, params.org, query);
        return json({ items: items.map(presentListed), nextCursor });
      },
    }),
    route({
      ...common,
      path: `${base}/search`,
      summary: "Search the skills of an organization, for ClawHub's client",
      params: OrgParams,
      query: SearchQuery,
      budget: "search",
      async handle({ actor, params, query: { q, limit } }) {
        const { items } = await listAsked(app, actor, params.org, { query: q === "" ? undefined : q, limit });
        return json({ results: items.map(presentFound) });
      },
    }),
  ];
}

function whoamiRoute(): Route {
  return route({
    ...common,
    path: `${base}/whoami`,
    summary: "Read who the token belongs to, for ClawHub's client",
    params: OrgParams,
    handle: async ({ actor }) => json({ user: { handle: handleOf(actor) } }),
  });
}

function handleOf(actor: Actor): string {
  if (actor.kind === "user") return actor.username;
  if (actor.kind === "organization") return actor.memberships[0].tenantSlug;
  throw unauthenticated("This needs an API token: clawhub login --token <token>.");
}
