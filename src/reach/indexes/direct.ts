/** Addresses of a public skill: its SKILL.md, and the zip of its current version or of another one. */
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { nothingAt, ServiceError } from "../../errors.ts";
import { Reply, type RequestInfo } from "../../http/route.ts";
import { notModified } from "../../http/service/conditional.ts";
import { findPublicSkill } from "../../skills/catalog/public-skill.ts";
import { openVersionFile } from "../../skills/read/content.ts";
import { fileReply } from "../../skills/read/file-reply.ts";
import { selectVersion } from "../../skills/versions/select-version.ts";
import { openPackageZip, packageZipDigest } from "../package-zip.ts";
import { countRequest, publicHeaders } from "../public-reply.ts";

interface Address {
  org: string;
  slug: string;
  /** An exact version; default: the current one. */
  version?: string;
}

/** A public skill and its version. Throws the error of a path that no route has. */
export async function loadAddressed(
  app: App,
  actor: Actor,
  { path }: Pick<RequestInfo, "path">,
  { org, slug, version }: Address,
): Promise<{ skill: SkillDoc; version: VersionDoc }> {
  const skill = await findPublicSkill(app, actor, { org, slug });
  if (skill?.type !== "skill") throw nothingAt(path);
  const selector =
    version === undefined ? ({ kind: "current" } as const) : ({ kind: "exact", semver: version } as const);
  try {
    return { skill, version: await selectVersion(app, skill, selector) };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") throw nothingAt(path);
    throw error;
  }
}

export async function sendSkillFile(
  app: App,
  actor: Actor,
  request: RequestInfo,
  address: Address,
): Promise<Reply> {
  await countRequest(app, actor);
  const { version } = await loadAddressed(app, actor, request, address);
  const file = await openVersionFile(app, version, "SKILL.md");
  const reply = fileReply(request, file, "SKILL.md", publicHeaders(file.oid));
  if (reply.status === 200 && !request.isHead) recordDownload(app, actor, version);
  return reply;
}

/** `isOneOfAll`: clients request each zip of an index, which is no download that someone has chosen. */
export async function sendPackage(
  app: App,
  actor: Actor,
  request: RequestInfo,
  address: Address,
  { isOneOfAll = false } = {},
): Promise<Reply> {
  await countRequest(app, actor);
  const { skill, version } = await loadAddressed(app, actor, request, address);
  const headers = publicHeaders((await packageZipDigest(app, version)).sha256);
  const unmodified = notModified(request, headers);
  if (unmodified) return unmodified;
  const zip = await openPackageZip(app, version);
  if (!isOneOfAll && !request.isHead) recordDownload(app, actor, version);
  return new Reply(zip.body, {
    type: "application/zip",
    headers: {
      ...headers,
      "content-length": String(zip.size),
      "content-disposition": `attachment; filename="${skill.slug}-${version.semver}.zip"`,
    },
  });
}
