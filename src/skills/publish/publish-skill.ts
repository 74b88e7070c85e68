/**
 * Publishes by name, in four steps: resolve the target, open the source, write, finish. The skill is looked up while
 * the version is written, since its name may be in the source.
 */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { measured } from "../../../contract/observation.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { loadFolderView, type FolderView } from "../../folders/load.ts";
import { slugOfSkill } from "../../folders/tree/slug.ts";
import type { Creation } from "../../http/route.ts";
import { storageRefusal } from "../../orgs/storage/usage.ts";
import { chooseWorkspace } from "../../workspaces/own.ts";
import { keepAllowed } from "../load.ts";
import { skillName, type PublishSkill } from "../schema.ts";
import { checkSkillPermissionIn, chooseFolder } from "../settings/place.ts";
import { requireServers } from "../settings/settings.ts";
import { appendVersion, type AppendRequest } from "./append-version.ts";
import { readTextSource, type VersionSource } from "./content/text-source.ts";
import { withVersionSource, type OpenSource } from "./content/version-source.ts";
import { createSkill, type NewSkill, type Published } from "./create-skill.ts";
import { findCreated } from "./publish-version.ts";
import {
  chooseSlug,
  findExisting,
  ignoredFlagsOf,
  listNamed,
  resolveTarget,
  type PublishTarget,
} from "./target.ts";

/** Attempts, since a concurrent publish can take the chosen slug before it is written. */
const slugAttempts = 20;

/** A request of the API, or the copy of a skill, whose content is opened otherwise. */
type PublishRequest = PublishSkill &
  Pick<NewSkill, "origin"> &
  Pick<AppendRequest, "versionId" | "isFirstAttempt"> & { slug?: string };

/** A written version, and the folders on which its target was decided. */
type Written = Omit<Published, "ignoredFlags"> & { view: FolderView };

/** Publishes by `mode`: `create`, `update`, or `upsert`, which appends to a skill of the same name if there is one. */
export async function publishSkill(
  app: App,
  actor: Actor,
  input: PublishRequest,
  creation?: Creation,
  open: OpenSource = (type, publish) => withVersionSource(app, actor, input, type, publish),
): Promise<Published> {
  const target = await measured("publish", { stage: "resolve" }, () =>
    resolveTarget(app, actor, input, chooseWorkspace),
  );
  const request = { ...input, versionId: creation?.id, isFirstAttempt: creation?.isRetry === false };
  const written =
    (await findWritten(app, actor, target, input, creation)) ??
    (await open(target.type, (source) => write(app, actor, target, source, request)));
  return finish(app, actor, target, written, input);
}

/** Appends to the skill of the name, or creates it. */
async function write(
  app: App,
  actor: Actor,
  target: PublishTarget,
  source: VersionSource,
  input: PublishRequest,
): Promise<Written> {
  const { tenant, type, workspaceId, required } = target;
  const name = chooseName(input, source);
  const wanted = { name, slug: input.slug ?? slugOfSkill(name) };
  /** Slugs that sibling folders have. */
  const folderSlugs: string[] = [];
  const exhausted = () => new ServiceError("conflict", `No free slug was found for "${name}": try again.`);
  return retryLost<Written>({ attempts: slugAttempts, exhausted }, async (attempt) => {
    const isFirst = attempt === 0 && isSlugLikelyFree(source, target);
    // Before the look-up by name: a concurrent publish of the same name takes the slug that is chosen from this list,
    // so the unique index causes another attempt here.
    const [skillSlugs, view] = await Promise.all([
      isFirst ? [] : app.storage.skills.listSlugsLike(tenant._id, wanted.slug),
      loadFolderView(app, actor, tenant._id),
    ]);
    const existing = await findExisting(app, view, target, input, wanted);
    const refusal = storageRefusal(app, tenant);
    if (existing) {
      const request = { ...input, refused: Promise.resolve(refusal) };
      return { action: "updated", ...(await appendVersion(app, actor, existing, source, request)), view };
    }
    // Before any error about slugs, so that a caller who may neither read nor create learns nothing about them.
    const folderId = workspaceId ?? (await chooseFolder(app, view, input));
    const current = input.createFolders ? await loadFolderView(app, actor, tenant._id) : view;
    checkSkillPermissionIn(current, "skill:create", folderId, tenant.slug);
    if (refusal) throw refusal;
    const taken = [...skillSlugs, ...folderSlugs];
    const slug = await chooseSlug(app, actor, tenant, input.mode, wanted, taken);
    const chosen = { name, type, slug, folderId, requiredServerIds: required?.ids };
    const created = await createSkill(app, actor, tenant, source, { ...input, ...chosen });
    if (created !== "occupied") return created && { ...created, view };
    folderSlugs.push(slug);
    return undefined;
  });
}

/**
 * Whether a publish tries the slug of the name without a query for taken slugs, which the unique index makes up for. It
 * contains no reserved slugs; a package would be written twice, and members often have skills of the same name in their
 * workspaces.
 */
function isSlugLikelyFree(source: VersionSource, { tenant, workspaceId }: PublishTarget): boolean {
  return source.format === "markdown" && workspaceId === undefined && !tenant.reservesSlugs;
}

/** Requires the servers of the request; a new skill was created with them. */
async function finish(
  app: App,
  actor: Actor,
  { required }: PublishTarget,
  { view, ...written }: Written,
  input: PublishSkill,
): Promise<Published> {
  if (written.action === "created") return { ...written, ignoredFlags: [] };
  const skill = await requireServers(app, actor, written.skill, required);
  return { ...written, skill, ignoredFlags: ignoredFlagsOf(view, skill, input) };
}

/** The result of an interrupted attempt of the same call. */
async function findWritten(
  app: App,
  actor: Actor,
  target: PublishTarget,
  input: PublishSkill,
  creation: Creation | undefined,
): Promise<Written | undefined> {
  if (!creation?.isRetry) return undefined;
  const view = await loadFolderView(app, actor, target.tenant._id);
  for (const skill of await listWritable(app, view, target, input, creation)) {
    const version = await findCreated(app, skill, creation);
    if (!version) continue;
    const action = version.version === 1 ? "created" : "updated";
    return { action, unchanged: false, skill, version, warnings: [], view };
  }
  return undefined;
}

/**
 * Skills to which the interrupted attempt may have written. The name of a package may be known from its upload only,
 * which a successful publish consumed: its skill is found by the id of the version.
 */
async function listWritable(
  app: App,
  view: FolderView,
  target: PublishTarget,
  input: PublishSkill,
  creation: Creation,
) {
  const { actor } = view;
  if (input.name !== undefined) return listNamed(app, view, target, input, input.name);
  if (input.content !== undefined) {
    const source = await readTextSource(app.compute.by(actorKey(actor)), input.content, target.type);
    return listNamed(app, view, target, input, chooseName(input, source));
  }
  const version = await app.storage.versions.findOfTenant(target.tenant._id, creation.id);
  const skill = version && (await app.storage.skills.find(version.skillId));
  return skill ? keepAllowed(app, actor, "skill:read", [skill]) : [];
}

export function chooseName(input: { name?: string }, source: VersionSource): string {
  if (input.name !== undefined) return input.name;
  const { name } = source.defaults;
  if (name === undefined)
    throw invalidRequest("The skill has no name: send one, or write it into the frontmatter.");
  const parsed = skillName.safeParse(name);
  if (!parsed.success)
    throw invalidRequest(`The name in the frontmatter ${parsed.error.issues[0]!.message}.`);
  return parsed.data;
}
