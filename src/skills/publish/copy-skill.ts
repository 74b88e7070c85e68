/**
 * Copies a version of a skill to an organization of the caller, as the first version of a new skill: the same files,
 * with their licences, and without the history. The new skill records its origin, which only readers of the origin see.
 */
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { OriginPayload } from "../../../contract/payloads/skills/skills.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import type { Creation } from "../../http/route.ts";
import { keepAllowed, loadSkill } from "../load.ts";
import { hiddenVersions } from "../marks/marks.ts";
import { openPackage, readText } from "../read/content.ts";
import type { CopySkill } from "../schema.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readSelector } from "../versions/semver.ts";
import { findVersion } from "../versions/versions.ts";
import { readPackageSource } from "./content/package-source.ts";
import { readTextSource } from "./content/text-source.ts";
import { uploadFolder } from "./content/upload-bytes.ts";
import type { OpenSource } from "./content/version-source.ts";
import type { Published } from "./create-skill.ts";
import { publishSkill } from "./publish-skill.ts";

/** Requires `skill:read` on the skill, and `skill:create` at the destination. */
export async function copySkill(
  app: App,
  actor: Actor,
  ref: string,
  { version: wanted, name, ...input }: CopySkill,
  creation?: Creation,
): Promise<Published> {
  const selector = readSelector(wanted);
  const skill = await loadSkill(app, actor, ref, "skill:read");
  if (skill.takedown)
    throw new ServiceError(
      "refused",
      `An administrator of this service has taken "${skill.slug}" down: it can't be copied.`,
      { kind: "skill", ref },
    );
  const version = await selectVersion(app, skill, selector);
  const copied = {
    ...input,
    mode: "create" as const,
    name: name ?? skill.name,
    type: skill.type,
    description: skill.description,
    tags: skill.tags,
    origin: { skillId: skill._id, version: version.version, copiedAt: app.now() },
  };
  const published = await publishSkill(app, actor, copied, creation, openCopy(app, actor, skill, version));
  recordDownload(app, actor, version);
  return published;
}

/** The content of a version, checked again by the rules of a publish. */
function openCopy(app: App, actor: Actor, skill: SkillDoc, version: VersionDoc): OpenSource {
  const compute = app.compute.by(actorKey(actor));
  return async (type, publish) => {
    if (version.format === "markdown") {
      const { frontmatter = "", content } = await readText(app, skill, version);
      return publish(await readTextSource(compute, frontmatter + content, type));
    }
    const folder = uploadFolder(app);
    const zip = path.join(folder, `${app.newId()}.copy`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const { body } = await openPackage(app, version);
      await pipeline(
        Buffer.isBuffer(body) ? Readable.from([body]) : body,
        createWriteStream(zip, { mode: 0o600 }),
      );
      return await publish(await readPackageSource(compute, zip, { isExact: true }));
    } finally {
      await rm(zip, { force: true });
    }
  };
}

/** The skill from which another one was copied; undefined unless the actor may read it now. */
export async function findOrigin(
  app: App,
  actor: Actor,
  { origin }: SkillDoc,
): Promise<OriginPayload | undefined> {
  if (!origin) return undefined;
  const found = await app.storage.skills.find(origin.skillId);
  const [skill] = found ? await keepAllowed(app, actor, "skill:read", [found]) : [];
  if (!skill) return undefined;
  const version = await findVersion(app, skill, origin.version);
  if (!version) throw new Error(`version ${origin.version} of skill ${skill._id} has no row`);
  // A copy of a version that is hidden now does not tell of it.
  if (hiddenVersions(skill).includes(origin.version)) return undefined;
  const { publicId, slug, tenantSlug, name } = skill;
  return {
    skill: { publicId, slug, tenantSlug, name },
    version: origin.version,
    semver: version.semver,
    copiedAt: origin.copiedAt.toISOString(),
  };
}
