/**
 * Skills and versions that come from a connected repository. The same services as a publish, for the sync as the actor:
 * its right is the repository's, its author the member who connected. Whether anything is to be imported was decided
 * before, by content (`src/sync/decide.ts`).
 */
import { isDeepStrictEqual } from "node:util";
import { limits } from "../../contract/limits.ts";
import { readSkillText, type FrontmatterDefaults } from "../../contract/skill-rules.ts";
import type { SkillType } from "../../contract/vocabulary.ts";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { SyncActor } from "../access/actor.ts";
import { syncPermissions } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { createFolderPath, refuseManagedRoot } from "../folders/create.ts";
import { loadTree } from "../folders/load.ts";
import { slugOfSkill } from "../folders/slug.ts";
import { createSkill, type Published } from "./create-skill.ts";
import { appendVersion, type Appended, type ImportedFrom } from "./publish-version.ts";
import { skillName } from "./schema.ts";
import { freeSlug } from "./slug.ts";
import { rootFileOf, type VersionSource } from "./text-source.ts";

const nameAttempts = 20;
const authorLength = 200;
const branchLength = 255;
const shortOidLength = 7;

/** The commit that the content comes from, as the repository tells it: nothing of it is taken as it is. */
export interface EditCommit {
  oid: string;
  subject: string;
  authorName: string;
  authorEmail?: string | undefined;
}

/** Where the history that is here does not reach the edit: the branch, and the commit at which it had the content. */
export interface FoundAt {
  oid: string;
  branch: string;
}

export type ImportCommit = EditCommit | FoundAt;

/** The sync of a connection, as an actor. */
export function syncActor(connection: ConnectionDoc, tenant: TenantDoc): SyncActor {
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
 * Makes content the next version of a skill, a patch higher. `moved` when it has another head than the decision was
 * made on: decide again. Content that equals the current version makes none (`unchanged`).
 */
export async function importVersion(
  app: App,
  actor: SyncActor,
  skill: SkillDoc,
  source: VersionSource,
  commit: ImportCommit,
): Promise<Appended | "moved"> {
  const edited = await editedDefaults(app, skill, source);
  const imported = { ...importedFrom(commit), expectedHead: skill.head.version, edited };
  try {
    return await appendVersion(app, actor, skill, source, { message: messageOf(commit), imported });
  } catch (error) {
    if (error instanceof ServiceError && error.code === "conflict" && error.details?.["head"] !== undefined)
      return "moved";
    throw error;
  }
}

/**
 * What a push says of the skill itself and the frontmatter of its current version does not: what was set here since is not
 * in the repository, and nobody's edit of it.
 */
async function editedDefaults(
  app: App,
  { _id, tenantId, type, current }: SkillDoc,
  { defaults }: VersionSource,
): Promise<Pick<FrontmatterDefaults, "description" | "tags">> {
  const root = current.format === "package" ? "SKILL.md" : rootFileOf(type);
  const file = await app.repos.readFile({ tenantId, skillId: _id }, current.oid, root);
  const before = file ? readSkillText(file.data.toString("utf8"), current.format).defaults : {};
  const { description, tags } = defaults;
  return {
    ...(description === undefined || description === before.description ? {} : { description }),
    ...(tags === undefined || isDeepStrictEqual(tags, before.tags) ? {} : { tags }),
  };
}

export interface ImportedDirectory {
  /** Of the directory, from `skills/` on: folders, then the skill's own. */
  segments: readonly string[];
  type: SkillType;
}

/**
 * Makes a new private skill of a directory, in the folders that it lies in. Its slug is the directory's name, or that
 * with a number where the name is taken; so the caller looks where it ended up. Throws `managed_folder` between personal
 * workspaces, where nothing else lies.
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
  const held: string[] = [];
  for (let attempt = 0; ; attempt++) {
    const folderId = await ensureFolders(app, actor, tenantId, directory.segments.slice(0, -1));
    if (folderId !== null) refuseManagedRoot(await loadTree(app, tenantId), folderId);
    const taken = await app.storage.skills.listSlugsLike(tenantId, base);
    const slug = freeSlug(base, [...taken, ...held]);
    const created = await createSkill(app, actor, { _id: tenantId, slug: tenantSlug }, source, {
      name,
      type: directory.type,
      slug,
      folderId,
      visibility: "private",
      message: messageOf(commit),
      imported: importedFrom(commit),
    });
    if (created === "held") held.push(slug);
    else if (created) return created;
    if (attempt >= nameAttempts)
      throw new ServiceError("conflict", `No free slug was found for "${own}": it is tried again.`);
  }
}

/**
 * The folder that directories stand for; missing ones are made. Where a skill has a folder's name, the folder gets a
 * number, since the files must go somewhere.
 */
async function ensureFolders(
  app: App,
  actor: SyncActor,
  tenantId: string,
  directories: readonly string[],
): Promise<string | null> {
  if (directories.length === 0) return null;
  // One after the other in a sync: all of them would write the same tree.
  const turn = (turns.get(actor) ?? Promise.resolve()).then(() =>
    makeFolders(app, actor, tenantId, directories),
  );
  turns.set(
    actor,
    turn.catch(() => undefined),
  );
  return turn;
}

const turns = new WeakMap<SyncActor, Promise<unknown>>();

async function makeFolders(
  app: App,
  actor: SyncActor,
  tenantId: string,
  directories: readonly string[],
): Promise<string | null> {
  const wanted = directories.map(folderNameOf);
  const names = [...wanted];
  for (let number = 2; ; number++) {
    try {
      return (await createFolderPath(app, actor, tenantId, names.join("/"), true)).folderId;
    } catch (error) {
      const isTaken = error instanceof ServiceError && error.code === "already_exists";
      const at = isTaken ? names.indexOf(String(error.details?.["ref"])) : -1;
      if (at < 0 || number > nameAttempts) throw error;
      names[at] = `${wanted[at]!.slice(0, limits.folderName - 4)} ${number}`;
    }
  }
}

/** A directory may have any name; a folder's holds nothing that would hide in it. */
function folderNameOf(directory: string): string {
  const name = plainLine(directory.replaceAll("\\", " "), limits.folderName);
  return name === "" || name === "." || name === ".." ? "folder" : name;
}

function importedFrom(commit: ImportCommit): ImportedFrom {
  if ("branch" in commit) return { commit: commit.oid };
  return { commit: commit.oid, author: plainLine(authorOfCommit(commit), authorLength) || "unknown" };
}

function authorOfCommit({ authorName, authorEmail }: EditCommit): string {
  return authorEmail ? `${authorName} <${authorEmail}>` : authorName;
}

/** What the version says of itself: the push's own words, and where to find it. */
function messageOf(commit: ImportCommit): string {
  const short = commit.oid.slice(0, shortOidLength);
  if ("branch" in commit) return `Taken from ${plainLine(commit.branch, branchLength)} at ${short}`;
  const whose = `(${short} by ${plainLine(commit.authorName, authorLength) || "unknown"})`;
  const subject = plainLine(commit.subject, limits.versionMessage - whose.length - 1);
  return subject === "" ? `Imported ${whose}` : `${subject} ${whose}`;
}

/** One line without what steers a terminal or hides. */
function plainLine(text: string, length: number): string {
  return text
    .replace(/\p{C}+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, length)
    .replace(/\p{Surrogate}/gu, "")
    .trim();
}
