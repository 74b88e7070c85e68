/** Reads of a version's bytes over HTTP: text, package, single files, file list. */
import type { z } from "zod";
import { ContentPayload, ManifestPayload } from "../../../contract/payloads/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import {
  Enveloped,
  Reply,
  SerializedJson,
  routesOf,
  type RequestInfo,
  type Route,
} from "../../http/route.ts";
import { cacheHeaders, notModified } from "../../http/service/conditional.ts";
import { isShared, loadSkill, prefetchSkill, type PrefetchedSkill, type SeenSkill } from "../load.ts";
import { presentSkill } from "../present.ts";
import { FileParams, Selector, SkillParams } from "../schema.ts";
import { selectVersion, selectorOf } from "../versions/select-version.ts";
import { openPackage, openVersionFile, readContentFields } from "./content.ts";
import { fileReply } from "./file-reply.ts";
import { readManifest } from "./manifest.ts";

const route = routesOf({ tag: "Content", auth: "optional" });

interface Selection {
  params: z.output<typeof SkillParams>;
  query: z.output<typeof Selector>;
  prefetched: PrefetchedSkill | undefined;
}

interface Selected {
  skill: SeenSkill;
  version: VersionDoc;
  headers: Record<string, string>;
}

/**
 * The version that a request selects, with its caching headers. If a response also contains numbers or names, its ETag
 * includes the version, so that equal bytes of another version don't count as the same response.
 */
async function select(
  app: App,
  actor: Actor,
  { params, query, prefetched }: Selection,
  tagPart = "",
): Promise<Selected> {
  const selector = selectorOf(query);
  const skill = await loadSkill(app, actor, params.skill, "skill:read", { prefetched });
  const version = await selectVersion(app, skill, selector);
  const fixed = selector.kind === "number" || selector.kind === "exact";
  const etag = `${version.hash}${tagPart === "" ? "" : `-${tagPart}${version.version}`}`;
  return { skill, version, headers: cacheHeaders(etag, { fixed, shared: isShared(skill) }) };
}

export function contentRoutes(app: App): Route[] {
  const prefetch = prefetchSkill(app);
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/content",
      id: "getContent",
      conditional: true,
      summary: "Read the text of a version; a package returns its SKILL.md",
      crossOrigin: "anonymous",
      params: SkillParams,
      query: Selector,
      data: ContentPayload,
      prefetch,
      async handle({ actor, request, ...selection }) {
        const { skill, version, headers: common } = await select(app, actor, selection, "c");
        // The response has the caller's acts: a cache must not give one caller's to another by the same tag.
        const acts = (skill.can ?? []).map((act) => act[0]).join("");
        const headers = { ...common, etag: common["etag"]!.replace(/"$/, `-${acts}"`) };
        const unmodified = notModified(request, headers);
        if (unmodified) return unmodified;
        const fields = await readContentFields(app, skill, version);
        if (version.format === "markdown" && !request.isHead) recordDownload(app, actor, version);
        const data = `{"skill":${JSON.stringify(presentSkill(skill))},${fields}}`;
        return new Enveloped(new SerializedJson(data), { headers });
      },
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/package",
      id: "getPackage",
      conditional: true,
      summary: "Download a version as a zip with the same bytes each time",
      crossOrigin: "anonymous",
      params: SkillParams,
      query: Selector,
      produces: "application/zip",
      prefetch,
      async handle({ actor, request, ...selection }) {
        const { skill, version, headers } = await select(app, actor, selection, "z");
        const unmodified = notModified(request, headers);
        if (unmodified) return unmodified;
        const zip = await openPackage(app, version);
        if (!request.isHead) recordDownload(app, actor, version);
        return new Reply(zip.body, {
          type: "application/zip",
          headers: {
            ...headers,
            "content-length": String(zip.size),
            "content-disposition": `attachment; filename="${skill.slug}-${version.semver}.zip"`,
          },
        });
      },
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/files/*path",
      id: "getFile",
      conditional: true,
      summary: "Read one file of a version",
      crossOrigin: "anonymous",
      params: FileParams,
      query: Selector,
      produces: "application/octet-stream",
      prefetch,
      handle: ({ actor, request, ...selection }) => sendFile(app, actor, selection, request),
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/manifest",
      id: "getManifest",
      conditional: true,
      summary: "List the files of a version with sizes and SHA-256",
      crossOrigin: "anonymous",
      params: SkillParams,
      query: Selector,
      data: ManifestPayload,
      prefetch,
      async handle({ actor, request, ...selection }) {
        const { skill, version, headers } = await select(app, actor, selection, "m");
        const unmodified = notModified(request, headers);
        return unmodified ?? new Enveloped(await readManifest(app, skill, version), { headers });
      },
    }),
  ];
}

async function sendFile(
  app: App,
  actor: Actor,
  selection: Selection & { params: z.output<typeof FileParams> },
  request: RequestInfo,
): Promise<Reply> {
  const { params } = selection;
  const { version, headers } = await select(app, actor, selection);
  const file = await openVersionFile(app, version, params.path);
  return fileReply(request, file, params.path, headers);
}
