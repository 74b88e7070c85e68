/** Publishes by name: a new skill, or a new version of the one that has the name (specification, part 4, publish). */
import { customAlphabet } from "nanoid";
import type { SkillType } from "../../contract/vocabulary.ts";
import { isDuplicate, isUnavailable, retryIdempotent, untilKnownMs } from "../../storage/database.ts";
import { outboxFields } from "../../storage/outbox.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { Actor } from "../access/actor.ts";
import { decideSkill } from "../access/decide.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, forbidden, invalidRequest, notFound } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";
import { authorOf } from "./author.ts";
import { keepAllowed } from "./load.ts";
import { recordManifestOf } from "./manifest.ts";
import { appendVersion, commitDraft, summaryOf, versionRow } from "./publish-version.ts";
import { presentCandidate } from "./resolve.ts";
import { skillName, type PublishSkill } from "./schema.ts";
import { firstSemver, isPrerelease, readExactSemver } from "./semver.ts";
import { scheduleSettling } from "./settle.ts";
import { freeSlug, nameKeyOf, slugOfName } from "./slug.ts";
import { withVersionSource } from "./source.ts";
import type { VersionSource } from "./text-source.ts";

const newPublicId = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 10);

/** How often a slug that was taken between choice and write is chosen anew. */
const slugAttempts = 20;
/** How many skills of one name are looked at. */
const sameNameLimit = 50;

export interface Published {
  action: "created" | "updated";
  unchanged: boolean;
  skill: SkillDoc;
  version: VersionDoc;
  ignoredFlags: ("folder" | "visibility")[];
  warnings: string[];
}

/** Publishes by `mode`: create a skill, append to one of the same name, or whichever fits. */
export async function publishSkill(app: App, actor: Actor, input: PublishSkill): Promise<Published> {
  refuseFolders(input);
  const tenant = await loadTenant(app, actor, input.tenantId, "member");
  const type = input.type ?? "skill";
  return withVersionSource(app, actor, input, type, async (source) => {
    const name = chooseName(input, source);
    const base = slugOfName(name);
    for (let attempt = 0; ; attempt++) {
      // Before the look-up by name: a publish of the same name that comes between the two has taken the slug that
      // is chosen from this list, so the unique index sends this one round again.
      const taken = await app.storage.skills.listSlugsLike(tenant._id, base);
      const existing = await findTarget(app, actor, tenant, input, name);
      if (existing) return appendToExisting(app, actor, existing, source, input);
      // Before anything is said about slugs: whoever may neither read nor create learns nothing of them.
      checkMayCreate(actor, tenant);
      if (input.mode === "create" && taken.includes(base))
        throw await slugHeld(app, actor, tenant, { name, slug: base });
      const slug = freeSlug(base, taken);
      const created = await createSkill(app, actor, tenant, source, { ...input, name, type, slug });
      if (created) return created;
      if (attempt >= slugAttempts)
        throw new ServiceError("conflict", `No free slug was found for "${name}": try again.`);
    }
  });
}

/** Folders and personal workspaces are not there yet; asking for them must not publish somewhere else. */
function refuseFolders(input: PublishSkill): void {
  if (input.personal)
    throw new ServiceError("refused", "Personal workspaces are not enabled for this organization.");
  if (input.folder !== undefined && !["", "/"].includes(input.folder)) throw notFound("folder", input.folder);
}

function chooseName(input: PublishSkill, source: VersionSource): string {
  if (input.name !== undefined) return input.name;
  const parsed = skillName.safeParse(source.defaults.name);
  if (!parsed.success)
    throw invalidRequest("The skill has no name: send one, or write it into the frontmatter.");
  return parsed.data;
}

/** The skill that this publish appends to; undefined means that one is to be created. */
async function findTarget(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  input: PublishSkill,
  name: string,
): Promise<SkillDoc | undefined> {
  const named = await app.storage.skills.listByName(tenant._id, nameKeyOf(name), sameNameLimit);
  const seen = await keepAllowed(app, actor, "skill:read", named);
  const writable = await keepAllowed(app, actor, "skill:update", seen);
  if (input.mode === "create") {
    if (seen[0]) {
      const existing = presentCandidate(seen[0]);
      throw new ServiceError(
        "already_exists",
        `"${name}" exists in ${tenant.slug}: push a version to it, or choose another name.`,
        {
          kind: "skill",
          ref: name,
          existing,
        },
      );
    }
    return undefined;
  }
  if (writable.length > 1) {
    throw new ServiceError(
      "ambiguous",
      `${writable.length} skills in ${tenant.slug} are named "${name}": push to one by its slug.`,
      {
        kind: "skill",
        ref: name,
        candidates: writable.map(presentCandidate),
      },
    );
  }
  if (input.mode === "update" && writable.length === 0) {
    if (seen[0])
      throw forbidden(`Your role or token does not allow skill:update on "${seen[0].slug}".`, {
        kind: "skill",
        ref: name,
      });
    throw notFound("skill", name);
  }
  return writable[0];
}

function checkMayCreate(actor: Actor, tenant: TenantDoc): void {
  const place = { tenantId: tenant._id, visibility: "public", place: null } as const;
  if (decideSkill(actor, "skill:create", place) === "allowed") return;
  throw forbidden(`Your role or token does not allow skill:create in "${tenant.slug}".`, {
    kind: "team",
    ref: tenant.slug,
  });
}

/** `create` never renames: a slug that another name has taken is a skill that exists. */
async function slugHeld(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  wanted: { name: string; slug: string },
): Promise<ServiceError> {
  const holder = await app.storage.skills.findBySlug(tenant._id, wanted.slug);
  const [seen] = await keepAllowed(app, actor, "skill:read", holder ? [holder] : []);
  return new ServiceError(
    "already_exists",
    `The slug "${wanted.slug}" of "${wanted.name}" is taken in ${tenant.slug}: choose another name.`,
    { kind: "skill", ref: wanted.name, ...(seen ? { existing: presentCandidate(seen) } : {}) },
  );
}

async function appendToExisting(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  source: VersionSource,
  input: PublishSkill,
): Promise<Published> {
  if (input.type !== undefined && input.type !== skill.type) {
    throw new ServiceError(
      "refused",
      `"${skill.slug}" is a ${skill.type}, and a type never changes: choose another name.`,
      {
        kind: "skill",
        ref: skill.slug,
      },
    );
  }
  const appended = await appendVersion(app, actor, skill, source, input);
  const ignoredFlags: Published["ignoredFlags"] = [];
  if (input.folder !== undefined && skill.folderId !== null) ignoredFlags.push("folder");
  if (input.visibility !== undefined && input.visibility !== skill.visibility)
    ignoredFlags.push("visibility");
  return { action: "updated", ignoredFlags, ...appended };
}

interface NewSkill extends PublishSkill {
  name: string;
  type: SkillType;
  slug: string;
}

/**
 * Writes the first commit, then the skill document with its first version in it. Undefined when another publish
 * took the slug in between: the caller looks again, since that may be the very skill it wants.
 */
async function createSkill(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  source: VersionSource,
  input: NewSkill,
): Promise<Published | undefined> {
  const semver = input.semver === undefined ? firstSemver : readExactSemver(input.semver);
  if (isPrerelease(semver)) {
    throw new ServiceError(
      "refused",
      "A first version can't be a prerelease: installs would have nothing to resolve to.",
    );
  }
  const now = app.now();
  const [skillId, versionId] = [app.newId(), app.newId()];
  const { slug } = input;
  const description = input.description ?? source.defaults.description ?? "";
  const repo = { tenantId: tenant._id, skillId };
  const draft = commitDraft(app, actor, { repo, number: 1, semver, versionId, now, message: input.message });
  const written = await app.repos.writeCommit(repo, { ...draft, source: source.tree(input, description) });

  const author = authorOf(actor);
  const visibility = input.visibility ?? "private";
  const facts = { source, written, number: 1, semver, versionId, now, description, message: draft.message };
  const row = versionRow(actor, {
    ...facts,
    skill: { _id: skillId, tenantId: tenant._id, name: input.name },
  });
  await recordManifestOf(app, row, written);
  const event = makeEvent(app, actor, "skill.created", {
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
    folderId: null,
    listed: visibility === "public",
    excerpt: source.excerpt,
    createdBy: author?.id ?? "anonymous",
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
  if (!(await insertOnceOnly(app, skill))) {
    await app.repos.erase(repo);
    await app.storage.versions.removeOfSkill(skillId);
    return undefined;
  }
  scheduleSettling(app, skillId);
  const warnings =
    slug === slugOfName(input.name)
      ? source.warnings
      : [...source.warnings, `The slug "${slugOfName(input.name)}" is taken, so this skill is "${slug}".`];
  return { action: "created", unchanged: false, skill, version: row, ignoredFlags: [], warnings };
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
