/** The making of a skill: its first commit, its place, its document. What name and slug it has was decided before. */
import { customAlphabet } from "nanoid";
import type { SkillType } from "../../contract/vocabulary.ts";
import { isDuplicate, isUnavailable, retryIdempotent, untilKnownMs } from "../../storage/database.ts";
import { outboxFields } from "../../storage/outbox.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import { actorId, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { slugOfSkill } from "../folders/slug.ts";
import { authorOf } from "./author.ts";
import { recordManifestOf } from "./manifest.ts";
import { governedBy, releasePlace, takePlace } from "./place.ts";
import {
  commitDraft,
  importedMetadata,
  summaryOf,
  versionRow,
  type ImportedFrom,
} from "./publish-version.ts";
import type { PublishSkill } from "./schema.ts";
import { firstSemver, isPrerelease, readExactSemver } from "./semver.ts";
import { scheduleSettling } from "./settle.ts";
import { nameKeyOf } from "./slug.ts";
import type { VersionSource } from "./text-source.ts";

const newPublicId = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 10);

export interface Published {
  action: "created" | "updated";
  unchanged: boolean;
  skill: SkillDoc;
  version: VersionDoc;
  ignoredFlags: ("folder" | "visibility")[];
  warnings: string[];
}

type NewSkill = Pick<PublishSkill, "semver" | "message" | "description" | "tags" | "visibility"> & {
  /** Chosen by whoever has to know it before; else a new one. */
  id?: string;
  folderId: string | null;
  name: string;
  type: SkillType;
  slug: string;
  imported?: ImportedFrom;
};

/**
 * Writes the first commit, takes the skill's place in its folder, then writes the skill document with its first version
 * in it. Undefined when another publish took the slug in between: the caller looks again, since that may be the very
 * skill it wants. `held` when a folder has the slug there.
 */
export async function createSkill(
  app: App,
  actor: Actor,
  tenant: { _id: string; slug: string },
  source: VersionSource,
  input: NewSkill,
): Promise<Published | "held" | undefined> {
  const semver = input.semver === undefined ? firstSemver : readExactSemver(input.semver);
  if (isPrerelease(semver)) {
    throw new ServiceError(
      "refused",
      "A first version can't be a prerelease: installs would have nothing to resolve to.",
    );
  }
  const now = app.now();
  const [skillId, versionId] = [input.id ?? app.newId(), app.newId()];
  const { slug } = input;
  const description = input.description ?? source.defaults.description ?? "";
  const repo = { tenantId: tenant._id, skillId };
  const { imported, message } = input;
  const draft = commitDraft(app, actor, { repo, number: 1, semver, versionId, now, message, imported });
  const written = await app.repos.writeCommit(repo, { ...draft, source: source.tree(input, description) });

  const author = authorOf(actor);
  const visibility = input.visibility ?? "private";
  const facts = { source, written, number: 1, semver, versionId, now, description, message: draft.message };
  const row = versionRow(actor, {
    ...facts,
    skill: { _id: skillId, tenantId: tenant._id, name: input.name },
  });
  await recordManifestOf(app, row, written);
  const event = makeEvent(app, actor, imported ? "skill.created_via_import" : "skill.created", {
    tenantId: tenant._id,
    resourceType: "skill",
    resourceId: skillId,
    metadata: {
      slug,
      name: input.name,
      visibility,
      semver,
      commit: written.oid,
      source: actor.origin.source,
      ...importedMetadata(imported),
    },
  });
  const skill: SkillDoc = {
    _id: skillId,
    tenantId: tenant._id,
    tenantSlug: tenant.slug,
    publicId: newPublicId(),
    slug,
    name: input.name,
    nameKey: nameKeyOf(input.name),
    description,
    type: input.type,
    visibility,
    tags: input.tags ?? source.defaults.tags ?? [],
    folderId: input.folderId,
    governingFolderId: null,
    listed: false,
    excerpt: source.excerpt,
    createdBy: actorId(actor),
    author,
    createdAt: now,
    updatedAt: now,
    revision: 1,
    head: { version: 1, oid: written.oid },
    highestSemver: semver,
    current: summaryOf(row),
    downloads: 0,
    pending: [row],
    ...outboxFields([event]),
  };
  const placed = await insertInPlace(app, skill);
  if (placed !== "inserted") {
    await app.repos.erase(repo);
    await app.storage.versions.removeOfSkill(skillId);
    return placed === "held" ? "held" : undefined;
  }
  scheduleSettling(app, skillId);
  const warnings =
    slug === slugOfSkill(input.name)
      ? source.warnings
      : [...source.warnings, `The slug "${slugOfSkill(input.name)}" is taken, so this skill is "${slug}".`];
  return { action: "created", unchanged: false, skill, version: row, ignoredFlags: [], warnings };
}

/**
 * Takes the place, looks at the folder, then inserts: a folder that is deleted beside this either sees the place and
 * stays, or is seen to be going.
 */
async function insertInPlace(app: App, skill: SkillDoc): Promise<"inserted" | "held" | "raced"> {
  const place = await takePlace(app, skill);
  if (place !== "taken") return place;
  try {
    const placed = { ...skill, ...(await governedBy(app, skill)) };
    if (await insertOnceOnly(app, placed)) {
      Object.assign(skill, placed);
      return "inserted";
    }
  } catch (error) {
    await releasePlace(app, skill);
    throw error;
  }
  await releasePlace(app, skill);
  return "raced";
}

/** False when the slug is taken; after an answer that got lost, the document itself tells whether it was written. */
async function insertOnceOnly(app: App, skill: SkillDoc): Promise<boolean> {
  try {
    await app.storage.skills.insert(skill);
  } catch (error) {
    if (isDuplicate(error)) return false;
    if (!isUnavailable(error)) throw error;
    if (!(await retryIdempotent(() => app.storage.skills.exists(skill._id), untilKnownMs))) throw error;
  }
  return true;
}
