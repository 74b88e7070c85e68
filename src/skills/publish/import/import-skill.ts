/**
 * Import of skills and versions from a connected repository. Uses the same services as a publish, with the sync as the
 * actor: it has the permissions of the connection, and the member who connected is the author. The sync has decided by
 * content what is imported (`src/sync/content/import/plan-import.ts`).
 */
import type { FrontmatterDefaults } from "../../../../contract/checks/skill-rules.ts";
import { retryLost } from "../../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../../contract/limits.ts";
import type { SkillType } from "../../../../contract/vocabulary.ts";
import type { ConnectionDoc } from "../../../../storage/connections/connections.ts";
import type { TenantDoc } from "../../../../storage/organizations/tenants.ts";
import type { SkillDoc } from "../../../../storage/skills/skills.ts";
import { actorKey, type SyncActor } from "../../../access/actor.ts";
import { syncPermissions } from "../../../access/permissions.ts";
import type { App } from "../../../app.ts";
import { readText } from "../../../compute/read-text.ts";
import { ServiceError } from "../../../errors.ts";
import { refuseManagedRoot } from "../../../folders/tree/refusals.ts";
import { slugOfSkill } from "../../../folders/tree/slug.ts";
import { loadTree } from "../../../folders/tree/trees.ts";
import { findStorageRefusal } from "../../../orgs/storage/usage.ts";
import { skillName } from "../../schema.ts";
import { appendVersion, type Appended } from "../append-version.ts";
import { changedDefaults } from "../content/edit-source.ts";
import { rootFileOf, type VersionSource } from "../content/text-source.ts";
import { createSkill, type Published } from "../create-skill.ts";
import { freeSlug } from "../slug.ts";
import { importedFrom, messageOf, plainLine, type ImportCommit } from "./import-commit.ts";
import { ensureFolders } from "./import-folders.ts";

const slugAttempts = 20;

/** The sync of a connection, as an actor. */
export function actorOfSync(connection: ConnectionDoc, tenant: TenantDoc): SyncActor {
  return {
    kind: "sync",
    connectionId: connection._id,
    member: connection.connectedBy,
    memberships: [
      {
        tenantId: tenant._id,
        tenantSlug: tenant.slug,
        tenantName: tenant.name,
        role: "sync",
        teamIds: [],
        permissions: syncPermissions,
      },
    ],
    origin: { ipHash: undefined, source: "import", client: "api" },
  };
}

/**
 * Appends content to a skill as its next patch version. Returns `stale` if the head has changed since the decision,
 * which then has to be made again. Content that equals the current version creates none (`unchanged`).
 */
export async function importVersion(
  app: App,
  actor: SyncActor,
  skill: SkillDoc,
  source: VersionSource,
  commit: ImportCommit,
): Promise<Appended | "stale"> {
  const edited = await editedDefaults(app, actor, skill, source);
  const imported = { ...importedFrom(commit), expectedHead: skill.head.version, edited };
  try {
    return await appendVersion(app, actor, skill, source, { message: messageOf(commit), imported });
  } catch (error) {
    if (error instanceof ServiceError && error.code === "conflict" && error.details?.["head"] !== undefined)
      return "stale";
    throw error;
  }
}

/**
 * Description and tags that the imported frontmatter changes relative to the current version. Values that were set in
 * the service since are not in the repository, so an unchanged frontmatter does not overwrite them.
 */
async function editedDefaults(
  app: App,
  actor: SyncActor,
  { _id, tenantId, type, current }: SkillDoc,
  { defaults }: VersionSource,
): Promise<Pick<FrontmatterDefaults, "description" | "tags">> {
  const root = current.format === "package" ? "SKILL.md" : rootFileOf(type);
  const file = await app.repos.readFile({ tenantId, skillId: _id }, current.oid, root);
  if (!file) return changedDefaults({}, defaults);
  const compute = app.compute.by(actorKey(actor));
  const before = await readText(compute, file.data.toString("utf8"), current.format);
  return changedDefaults(before.defaults, defaults);
}

export interface ImportedDirectory {
  /** Path of the directory below `skills/`: folders, then the skill's own. */
  segments: readonly string[];
  type: SkillType;
}

/**
 * Creates a private skill from a directory, in the corresponding folders. Its slug is the directory's name, with a
 * number if that is taken. Throws `managed_folder` in the folder of all personal workspaces, which contains nothing
 * else.
 */
export async function importSkill(
  app: App,
  actor: SyncActor,
  source: VersionSource,
  directory: ImportedDirectory,
  commit: ImportCommit,
): Promise<Published> {
  const [{ tenantId, tenantSlug }] = actor.memberships;
  const own = directory.segments.at(-1)!;
  const parsed = skillName.safeParse(source.defaults.name);
  const named = parsed.success ? parsed : skillName.safeParse(plainLine(own, limits.skillName));
  const name = named.success ? named.data : slugOfSkill(own);
  const base = slugOfSkill(own);
  /** Slugs that sibling folders have. */
  const ofFolders: string[] = [];
  const exhausted = () =>
    new ServiceError("conflict", `No free slug was found for "${own}". The sync retries it.`);
  return retryLost({ attempts: slugAttempts, exhausted }, async () => {
    const folderId = await ensureFolders(app, actor, tenantId, directory.segments.slice(0, -1));
    if (folderId !== null) refuseManagedRoot(await loadTree(app, tenantId), folderId);
    const [taken, refusal] = await Promise.all([
      app.storage.skills.listSlugsLike(tenantId, base, { isImport: true }),
      findStorageRefusal(app, tenantId),
    ]);
    if (refusal) throw refusal;
    const slug = freeSlug(base, [...taken, ...ofFolders]);
    const created = await createSkill(app, actor, { _id: tenantId, slug: tenantSlug }, source, {
      name,
      type: directory.type,
      slug,
      folderId,
      visibility: "private",
      message: messageOf(commit),
      imported: importedFrom(commit),
    });
    if (created && created !== "occupied") await releaseSlug(app, tenantId, slug);
    if (created !== "occupied") return created;
    ofFolders.push(slug);
    return undefined;
  });
}

/** Ends the reservation for the slug of a deleted skill, which the repository has given to another one. */
async function releaseSlug(app: App, tenantId: string, slug: string): Promise<void> {
  const reservation = await app.storage.slugReservations.find(tenantId, slug);
  if (reservation) await app.storage.slugReservations.release(reservation);
}
