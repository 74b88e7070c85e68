/** Publishes by name: a new skill, or a new version of the one that has the name (specification, part 4, publish). */
import { customAlphabet } from "nanoid";
import type { SkillType } from "../../contract/vocabulary.ts";
import { isDuplicate, isUnavailable, retryIdempotent, untilKnownMs } from "../../storage/database.ts";
import { outboxFields } from "../../storage/outbox.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import { actorId, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, forbidden, invalidRequest, notFound } from "../errors.ts";
import { folderAtPath, readFolderPath } from "../folders/create.ts";
import { loadFolderView } from "../folders/load.ts";
import { slugOfFolder } from "../folders/slug.ts";
import { loadTenant } from "../orgs/service.ts";
import { chooseWorkspace } from "../workspaces/own.ts";
import { authorOf } from "./author.ts";
import { keepAllowed } from "./load.ts";
import { recordManifestOf } from "./manifest.ts";
import { checkMayPlace, chooseFolder, governedBy, releasePlace, takePlace } from "./place.ts";
import { appendVersion, commitDraft, summaryOf, versionRow } from "./publish-version.ts";
import { presentCandidates } from "./resolve.ts";
import { skillName, type PublishSkill } from "./schema.ts";
import { firstSemver, isPrerelease, readExactSemver } from "./semver.ts";
import { listSameName, workspaceAt } from "./same-name.ts";
import { scheduleSettling } from "./settle.ts";
import { freeSlug, nameKeyOf, slugOfName } from "./slug.ts";
import { withVersionSource } from "./source.ts";
import type { VersionSource } from "./text-source.ts";

const newPublicId = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 10);

/** How often a slug that was taken between choice and write is chosen anew. */
const slugAttempts = 20;

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
  const tenant = await loadTenant(app, actor, input.tenantId, "member");
  const workspaceId = input.personal ? await workspaceFor(app, actor, tenant, input) : undefined;
  const type = input.type ?? "skill";
  return withVersionSource(app, actor, input, type, async (source) => {
    const name = chooseName(input, source);
    const base = slugOfName(name);
    /** Slugs that folders beside the skill have. */
    const held: string[] = [];
    for (let attempt = 0; ; attempt++) {
      // Before the look-up by name: a publish of the same name that comes between the two has taken the slug that
      // is chosen from this list, so the unique index sends this one round again.
      const taken = await app.storage.skills.listSlugsLike(tenant._id, base);
      const existing = await findTarget(app, actor, tenant, { ...input, workspaceId }, name);
      if (existing) return appendToExisting(app, actor, existing, source, input);
      // Before anything is said about slugs: whoever may neither read nor create learns nothing of them.
      const folderId = workspaceId ?? (await chooseFolder(app, actor, tenant._id, input));
      checkMayPlace(await loadFolderView(app, actor, tenant._id), "skill:create", folderId, tenant.slug);
      if (input.mode === "create" && [...taken, ...held].includes(base))
        throw await slugHeld(app, actor, tenant, { name, slug: base });
      const slug = freeSlug(base, [...taken, ...held]);
      const created = await createSkill(app, actor, tenant, source, { ...input, name, type, slug, folderId });
      if (created === "held") held.push(slug);
      else if (created) return created;
      if (attempt >= slugAttempts)
        throw new ServiceError("conflict", `No free slug was found for "${name}": try again.`);
    }
  });
}

/** The caller's workspace, which holds private skills and nothing else. */
async function workspaceFor(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  { visibility = "private" }: PublishSkill,
): Promise<string> {
  if (visibility !== "private")
    throw new ServiceError(
      "refused",
      `What is published to a personal workspace is private: leave visibility out, or publish to a folder.`,
      { kind: "workspace" },
    );
  return chooseWorkspace(app, actor, tenant);
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
  input: PublishSkill & { workspaceId: string | undefined },
  name: string,
): Promise<SkillDoc | undefined> {
  const view = await loadFolderView(app, actor, tenant._id);
  const home = input.workspaceId ?? workspaceAt(view, input.folder ?? "/");
  const named = await listSameName(app, view.tree, nameKeyOf(name), home);
  const seen = await keepAllowed(app, actor, "skill:read", named);
  const writable = await keepAllowed(app, actor, "skill:update", seen);
  if (input.mode === "create") {
    if (seen[0]) {
      const [existing] = await presentCandidates(app, [seen[0]]);
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
    const inFolder = await narrowToFolder(app, actor, tenant, input, writable);
    if (inFolder) return inFolder;
    throw new ServiceError(
      "ambiguous",
      `${writable.length} skills in ${tenant.slug} are named "${name}": push to one by its slug.`,
      {
        kind: "skill",
        ref: name,
        candidates: await presentCandidates(app, writable),
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

/** `create` never renames: a slug that another name has taken is a skill that exists. */
async function slugHeld(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  wanted: { name: string; slug: string },
): Promise<ServiceError> {
  const holder = await app.storage.skills.findBySlug(tenant._id, wanted.slug);
  const [seen] = await keepAllowed(app, actor, "skill:read", holder ? [holder] : []);
  const [existing] = await presentCandidates(app, seen ? [seen] : []);
  return new ServiceError(
    "already_exists",
    `The slug "${wanted.slug}" of "${wanted.name}" is taken in ${tenant.slug}: choose another name.`,
    { kind: "skill", ref: wanted.name, ...(existing ? { existing } : {}) },
  );
}

/** Of several skills of one name, the only one in the folder that was named. */
async function narrowToFolder(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  input: PublishSkill,
  named: SkillDoc[],
): Promise<SkillDoc | undefined> {
  if (input.folder === undefined) return undefined;
  const folderId = folderAtPath(await loadFolderView(app, actor, tenant._id), input.folder);
  const there = named.filter((skill) => skill.folderId === folderId);
  return there.length === 1 ? there[0] : undefined;
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
  if (input.folder !== undefined && !(await liesIn(app, actor, skill, input.folder)))
    ignoredFlags.push("folder");
  if (input.visibility !== undefined && input.visibility !== skill.visibility)
    ignoredFlags.push("visibility");
  return { action: "updated", ignoredFlags, ...appended };
}

/** Whether a skill lies at a path, which need not exist. */
async function liesIn(app: App, actor: Actor, skill: SkillDoc, folder: string): Promise<boolean> {
  const { tree } = await loadFolderView(app, actor, skill.tenantId);
  const slugs = readFolderPath(folder).map(slugOfFolder);
  return (skill.folderId === null ? "" : tree.path(skill.folderId)) === slugs.join("/");
}

interface NewSkill extends PublishSkill {
  folderId: string | null;
  name: string;
  type: SkillType;
  slug: string;
}

/**
 * Writes the first commit, takes the skill's place in its folder, then writes the skill document with its first version
 * in it. Undefined when another publish took the slug in between: the caller looks again, since that may be the very
 * skill it wants. `held` when a folder has the slug there.
 */
async function createSkill(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
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
    slug === slugOfName(input.name)
      ? source.warnings
      : [...source.warnings, `The slug "${slugOfName(input.name)}" is taken, so this skill is "${slug}".`];
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
