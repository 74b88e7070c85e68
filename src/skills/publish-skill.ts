/** Publishes by name: a new skill, or a new version of the one that has the name (specification, part 4, publish). */
import type { SkillDoc } from "../../storage/skills.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, invalidRequest, notFound } from "../errors.ts";
import { folderAtPath, readFolderPath } from "../folders/create.ts";
import { loadFolderView } from "../folders/load.ts";
import { slugOfFolder } from "../folders/slug.ts";
import { loadTenant } from "../orgs/service.ts";
import { chooseWorkspace } from "../workspaces/own.ts";
import { slugOfSkill } from "../folders/slug.ts";
import { createSkill, type Published } from "./create-skill.ts";
import { keepAllowed } from "./load.ts";
import { checkMayPlace, chooseFolder } from "./place.ts";
import { appendVersion } from "./publish-version.ts";
import { presentCandidates } from "./resolve.ts";
import { skillName, type PublishSkill } from "./schema.ts";
import { listSameName, workspaceAt } from "./same-name.ts";
import { freeSlug, nameKeyOf } from "./slug.ts";
import { withVersionSource } from "./source.ts";
import type { VersionSource } from "./text-source.ts";

/** How often a slug that was taken between choice and write is chosen anew. */
const slugAttempts = 20;

/** Publishes by `mode`: create a skill, append to one of the same name, or whichever fits. */
export async function publishSkill(app: App, actor: Actor, input: PublishSkill): Promise<Published> {
  const tenant = await loadTenant(app, actor, input.tenantId, "member");
  const workspaceId = input.personal ? await workspaceFor(app, actor, tenant, input) : undefined;
  const type = input.type ?? "skill";
  return withVersionSource(app, actor, input, type, async (source) => {
    const name = chooseName(input, source);
    const base = slugOfSkill(name);
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

export function chooseName(input: { name?: string | undefined }, source: VersionSource): string {
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
