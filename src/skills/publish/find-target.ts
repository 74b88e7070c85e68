/** The skill that a publish by name goes to, and the errors if the name is ambiguous or taken. */
import type { SkillDoc } from "../../../storage/skills.ts";
import type { TenantDoc } from "../../../storage/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, forbidden, notFound } from "../../errors.ts";
import type { FolderView } from "../../folders/load.ts";
import { folderAtPath } from "../../folders/tree/paths.ts";
import { keepAllowed } from "../load.ts";
import { presentCandidates } from "../resolve.ts";
import type { PublishSkill } from "../schema.ts";
import { listSameName, workspaceAt } from "./same-name.ts";
import { nameKeyOf } from "./slug.ts";

/**
 * The skill of a version, for a package whose name is known from its upload only, which a successful publish consumed.
 */
export async function listWithVersion(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  versionId: string,
): Promise<SkillDoc[]> {
  const version = await app.storage.versions.findOfTenant(tenant._id, versionId);
  const skill = version && (await app.storage.skills.find(version.skillId));
  return skill ? keepAllowed(app, actor, "skill:read", [skill]) : [];
}

/**
 * Skills of a name that the caller may read or change, in the workspace that the publish goes to or outside workspaces.
 * `found`: see `listSameName`.
 */
export async function listNamed(
  app: App,
  view: FolderView,
  input: PublishSkill & { workspaceId: string | undefined },
  name: string,
  found?: Promise<SkillDoc[]>,
): Promise<SkillDoc[]> {
  const home = input.workspaceId ?? workspaceAt(view, input.folder ?? "/");
  const named = await listSameName(app, view.tree, nameKeyOf(name), home, found);
  const seen = await keepAllowed(app, view.actor, "skill:read", named);
  // A token without the scope to read may only change them.
  return seen.length > 0 ? seen : keepAllowed(app, view.actor, "skill:update", named);
}

/** The skill to append to; undefined if one is to be created. `found`: see `listSameName`. */
export async function findTarget(
  app: App,
  view: FolderView,
  tenant: TenantDoc,
  input: PublishSkill & { workspaceId: string | undefined },
  name: string,
  found?: Promise<SkillDoc[]>,
): Promise<SkillDoc | undefined> {
  const seen = await listNamed(app, view, input, name, found);
  const writable = await keepAllowed(app, view.actor, "skill:update", seen);
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
    const inFolder = narrowToFolder(view, input, writable);
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

/** Error of mode `create`, which never chooses another slug than that of the name. */
export async function slugTaken(
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
    { kind: "skill", ref: wanted.name, existing },
  );
}

/** The skill in the requested folder, if exactly one of several is there. */
function narrowToFolder(view: FolderView, input: PublishSkill, named: SkillDoc[]): SkillDoc | undefined {
  if (input.folder === undefined) return undefined;
  const folderId = folderAtPath(view, input.folder);
  const there = named.filter((skill) => skill.folderId === folderId);
  return there.length === 1 ? there[0] : undefined;
}
