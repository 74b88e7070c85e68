/** Reads of a version's bytes over HTTP: text, package, single files, file list. */
import type { z } from "zod";
import { ContentPayload, ManifestPayload } from "../../contract/payloads.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { Actor } from "../access/actor.ts";
import { recordDownload } from "../analytics/downloads.ts";
import type { App } from "../app.ts";
import { cacheHeaders, notModified } from "../http/conditional.ts";
import { Enveloped, Reply, route, type RequestInfo, type Route } from "../http/route.ts";
import { openPackage, openVersionFile, readContent } from "./content.ts";
import { isShared, loadSkill, selectVersion, selectorOf } from "./load.ts";
import { readManifest } from "./manifest.ts";
import { presentSkill } from "./present.ts";
import { FileParams, Selector, SkillParams } from "./schema.ts";

const tag = "Content";

interface Selected {
  skill: SkillDoc;
  version: VersionDoc;
  headers: Record<string, string>;
}

/**
 * The version that a request selects, with its caching headers. Answers that also tell numbers or names carry the
 * version in their tag, so that equal bytes under another number are not taken for the same answer.
 */
async function select(
  app: App,
  actor: Actor,
  ref: string,
  query: z.output<typeof Selector>,
  tagPart = "",
): Promise<Selected> {
  const selector = selectorOf(query);
  const skill = await loadSkill(app, actor, ref, "skill:read");
  const version = await selectVersion(app, skill, selector);
  const fixed = selector.kind === "number" || selector.kind === "exact";
  const etag = `${version.hash}${tagPart === "" ? "" : `-${tagPart}${version.version}`}`;
  return { skill, version, headers: cacheHeaders(etag, { fixed, shared: isShared(skill) }) };
}

export function contentRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/content",
      summary: "Read the text of a version; a package answers its SKILL.md",
      tag,
      auth: "optional",
      params: SkillParams,
      query: Selector,
      data: ContentPayload,
      async handle({ actor, params, query, request }) {
        const { skill, version, headers } = await select(app, actor, params.skill, query, "c");
        const held = notModified(request, headers);
        if (held) return held;
        const content = await readContent(app, skill, version);
        if (version.format === "markdown" && !request.isHead) recordDownload(app, actor, version);
        const { format, semver, hash } = version;
        return new Enveloped(
          { skill: presentSkill(skill), format, content, version: version.version, semver, hash },
          { headers },
        );
      },
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/package",
      summary: "Download a version as a zip with the same bytes each time",
      tag,
      auth: "optional",
      params: SkillParams,
      query: Selector,
      produces: "application/zip",
      async handle({ actor, params, query, request }) {
        const { skill, version, headers } = await select(app, actor, params.skill, query, "z");
        const held = notModified(request, headers);
        if (held) return held;
        const zip = await openPackage(app, version);
        if (!request.isHead) recordDownload(app, actor, version);
        return new Reply(zip.stream, {
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
      summary: "Read one file of a version",
      tag,
      auth: "optional",
      params: FileParams,
      query: Selector,
      produces: "application/octet-stream",
      handle: ({ actor, params, query, request }) => answerFile(app, actor, params, query, request),
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/manifest",
      summary: "List the files of a version with sizes and SHA-256",
      tag,
      auth: "optional",
      params: SkillParams,
      query: Selector,
      data: ManifestPayload,
      async handle({ actor, params, query, request }) {
        const { skill, version, headers } = await select(app, actor, params.skill, query, "m");
        const held = notModified(request, headers);
        return held ?? new Enveloped(await readManifest(app, skill, version), { headers });
      },
    }),
  ];
}

async function answerFile(
  app: App,
  actor: Actor,
  params: z.output<typeof FileParams>,
  query: z.output<typeof Selector>,
  request: RequestInfo,
): Promise<Reply> {
  const { skill, version, headers } = await select(app, actor, params.skill, query);
  const file = await openVersionFile(app, version, params.path);
  // The blob's own id is the tag: a file that did not change between versions need not be sent again.
  const ownHeaders = { ...headers, etag: `"${file.oid}"` };
  const held = notModified(request, ownHeaders);
  if (held) {
    if (!Buffer.isBuffer(file.body)) file.body.destroy();
    return held;
  }
  const isShown = file.type.startsWith("text/") || file.type.startsWith("image/");
  const name = encodeURIComponent(params.path.split("/").at(-1) ?? skill.slug);
  return new Reply(file.body, {
    type: file.type,
    headers: {
      ...ownHeaders,
      "content-length": String(file.size),
      "content-disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${name}`,
    },
  });
}
