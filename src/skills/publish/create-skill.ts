/** Creates a skill whose name and slug are decided: its first commit, its path reservation, its document. */
import { customAlphabet } from "nanoid";
import { measured } from "../../../contract/observation.ts";
import type { SkillType } from "../../../contract/vocabulary.ts";
import { isDuplicate, isUnavailable, retryIdempotent, untilKnownMs } from "../../../storage/database.ts";
import { outboxFields, type EventRow } from "../../../storage/outbox.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { actorId, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { slugOfSkill } from "../../folders/tree/slug.ts";
import { scheduleProjection } from "../projection-queue.ts";
import { recordManifestOf } from "../read/manifest.ts";
import { findHold, heldWarning, type Hold } from "../review/holds.ts";
import type { PublishSkill } from "../schema.ts";
import { effectiveAccessOf, releasePath, reservePath } from "../settings/place.ts";
import { checkVersionContent } from "./content/refused-content.ts";
import type { VersionSource } from "./content/text-source.ts";
import { readFirstSemver } from "./next-semver.ts";
import { nameKeyOf } from "./slug.ts";
import {
  commitDraft,
  heldEvent,
  heldMark,
  messageOrDefault,
  summaryOf,
  versionEvent,
  versionRow,
  type ImportedFrom,
  type VersionFacts,
} from "./version-record.ts";
import { writeCommit } from "./write-commit.ts";

const newPublicId = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 10);

export interface Published {
  action: "created" | "updated";
  unchanged: boolean;
  skill: SkillDoc;
  version: VersionDoc;
  ignoredFlags: ("folder" | "visibility")[];
  warnings: string[];
}

export type NewSkill = Pick<
  PublishSkill,
  "semver" | "message" | "description" | "tags" | "visibility" | "contentLocation"
> & {
  /** Id of the skill, for a caller that needs it in advance; a new one by default. */
  id?: string;
  /** Id of the first version; a new one by default. */
  versionId?: string;
  folderId: string | null;
  name: string;
  type: SkillType;
  slug: string;
  imported?: ImportedFrom;
  /** Set for a copy of another skill. */
  origin?: SkillDoc["origin"];
  requiredServerIds?: string[];
};

/**
 * Writes the first commit, then inserts the skill document with its first version. Returns undefined if another publish
 * took the slug concurrently: the caller looks again, since that may be the very skill it wants. Returns `occupied` if
 * a folder has the slug.
 */
export async function createSkill(
  app: App,
  actor: Actor,
  tenant: { _id: string; slug: string },
  source: VersionSource,
  input: NewSkill,
): Promise<Published | "occupied" | undefined> {
  const facts = firstVersion(app, tenant, source, input);
  const { skill: identity, imported } = facts;
  const { slug, visibility = "private" } = input;
  const repo = { tenantId: tenant._id, skillId: identity._id };
  const tree = await source.tree(input, facts.description);
  const kind = { format: source.format, type: input.type };
  const draft = commitDraft(app, actor, facts);
  const place = { tenantId: tenant._id, folderId: input.folderId };
  const [{ written, findings }, hold] = await Promise.all([
    writeCommit(app, actor, repo, draft, tree, kind),
    findHold(app, actor, place, input),
  ]);
  const row = versionRow(actor, facts, written, { ...tree, findings });
  try {
    await checkVersionContent(app, { tenantId: tenant._id, slug, visibility }, row.hash);
  } catch (error) {
    await app.repos.erase(repo);
    throw error;
  }
  await recordManifestOf(app, row, written);
  const name = imported ? "skill.created_via_import" : "skill.created";
  const event = versionEvent(
    app,
    actor,
    name,
    facts,
    { name: input.name, visibility, unseen: hold && true },
    written,
  );
  const events = hold ? [event, heldEvent(app, actor, facts, hold)] : [event];
  const skill = {
    ...newDocument(actor, tenant, source, { ...input, hold }, row, events),
    storedBytes: written.packBytes,
  };
  const inserted = await measured("publish", { stage: "record" }, () => insertAtPath(app, skill));
  if (inserted !== "inserted") {
    await app.repos.erase(repo);
    await app.storage.versions.removeOfSkill(identity._id);
    return inserted === "occupied" ? "occupied" : undefined;
  }
  scheduleProjection(app, identity._id);
  const wanted = slugOfSkill(input.name);
  const warning = `The slug "${wanted}" is taken, so this skill is "${slug}".`;
  const warnings = [
    ...source.warnings,
    ...(slug === wanted ? [] : [warning]),
    ...(hold ? [heldWarning(row)] : []),
  ];
  return { action: "created", unchanged: false, skill, version: row, ignoredFlags: [], warnings };
}

function firstVersion(
  app: App,
  tenant: { _id: string },
  source: VersionSource,
  input: NewSkill,
): VersionFacts {
  const semver = readFirstSemver(input.semver);
  const { name, slug, imported } = input;
  return {
    skill: { _id: input.id ?? app.newId(), tenantId: tenant._id, name, slug },
    source,
    number: 1,
    semver,
    versionId: input.versionId ?? app.newId(),
    now: app.now(),
    description: input.description ?? source.defaults.description ?? source.firstParagraph ?? "",
    message: messageOrDefault(input.message, 1, semver),
    imported,
    contentLocation: input.contentLocation,
  };
}

/** The document without its effective access, which is read once the path is reserved. */
function newDocument(
  actor: Actor,
  tenant: { _id: string; slug: string },
  source: VersionSource,
  input: NewSkill & { hold: Hold | undefined },
  row: VersionDoc,
  events: EventRow[],
): SkillDoc {
  const { hold } = input;
  return {
    ...(hold && {
      marks: [heldMark(row, hold)],
      withheld: "unreleased" as const,
      waitingSince: row.createdAt,
    }),
    _id: row.skillId,
    tenantId: tenant._id,
    tenantSlug: tenant.slug,
    publicId: newPublicId(),
    slug: input.slug,
    name: input.name,
    nameKey: nameKeyOf(input.name),
    description: row.description,
    type: input.type,
    visibility: input.visibility ?? "private",
    tags: input.tags ?? source.defaults.tags ?? [],
    folderId: input.folderId,
    effectiveRestrictionId: null,
    listed: false,
    excerpt: source.excerpt,
    createdBy: actorId(actor),
    author: row.author,
    createdAt: row.createdAt,
    updatedAt: row.createdAt,
    revision: 1,
    head: { version: 1, oid: row.oid },
    highestRelease: row.semver,
    current: summaryOf(row),
    requiredServerIds: input.requiredServerIds,
    origin: input.origin,
    downloads: 0,
    pending: [row],
    ...outboxFields(events),
  };
}

/**
 * Reserves the path, reads the folder, then inserts: a folder that is deleted concurrently either finds the reservation
 * and stays, or is found closing here.
 */
async function insertAtPath(app: App, skill: SkillDoc): Promise<"inserted" | "occupied" | "raced"> {
  const reservation = await reservePath(app, skill);
  if (reservation !== "reserved") return reservation;
  try {
    const complete = { ...skill, ...(await effectiveAccessOf(app, skill)) };
    if (await insertOnceOnly(app, complete)) {
      Object.assign(skill, complete);
      return "inserted";
    }
  } catch (error) {
    await releasePath(app, skill);
    throw error;
  }
  await releasePath(app, skill);
  return "raced";
}

/** False if the slug is taken. If the response was lost, the document itself shows whether it was written. */
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
