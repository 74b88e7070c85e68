/** Publishes by name: creates a skill, or appends a version to the skill of that name. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import type { SkillType, Visibility } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { TenantDoc } from "../../../storage/tenants.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { loadFolderView } from "../../folders/load.ts";
import { readFolderPath } from "../../folders/tree/paths.ts";
import { slugOfFolder, slugOfSkill } from "../../folders/tree/slug.ts";
import type { Creation } from "../../http/route.ts";
import { refuseRequiredUnlessPrivate, resolveRequired } from "../../mcp-servers/required.ts";
import { loadTenant } from "../../orgs/service.ts";
import { chooseWorkspace } from "../../workspaces/own.ts";
import { skillName, type PublishSkill } from "../schema.ts";
import { checkSkillPermissionIn, chooseFolder } from "../settings/place.ts";
import { requireServers } from "../settings/settings.ts";
import { appendVersion, type AppendRequest } from "./append-version.ts";
import { readTextSource, type VersionSource } from "./content/text-source.ts";
import { withVersionSource, type OpenSource } from "./content/version-source.ts";
import { createSkill, type NewSkill, type Published } from "./create-skill.ts";
import { lookUpEarly } from "./early-lookups.ts";
import { findTarget, listNamed, listWithVersion, slugTaken } from "./find-target.ts";
import { findCreated } from "./publish-version.ts";
import { freeSlug } from "./slug.ts";

/** Attempts, since a concurrent publish can take the chosen slug before it is written. */
const slugAttempts = 20;

/** A request of the API, or the copy of a skill, whose content is opened otherwise. */
type PublishRequest = PublishSkill & Pick<NewSkill, "origin"> & { slug?: string };

/** Publishes by `mode`: `create`, `update`, or `upsert`, which appends to a skill of the same name if there is one. */
export async function publishSkill(
  app: App,
  actor: Actor,
  input: PublishRequest,
  creation?: Creation,
  open: OpenSource = (type, publish) => withVersionSource(app, actor, input, type, publish),
): Promise<Published> {
  const early = lookUpEarly(app, actor, input);
  const tenant = await loadTenant(app, actor, input.tenantId, "member");
  const workspaceId = input.personal ? await workspaceFor(app, actor, tenant, input) : undefined;
  const type = input.type ?? input.defaultType ?? "skill";
  const earlier = await findPublished(app, actor, tenant, { ...input, workspaceId }, creation);
  if (earlier) {
    const skill = await requireServers(app, actor, earlier.skill, input.requiredMcpServers);
    return { ...earlier, skill };
  }
  const requiredServerIds =
    input.requiredMcpServers && (await resolveRequired(app, actor, tenant._id, input.requiredMcpServers));
  const identity = { versionId: creation?.id, isFirstAttempt: creation?.isRetry === false };
  const { listSlugsLike } = app.storage.skills;
  return open(type, async (source) => {
    const name = chooseName(input, source);
    const base = input.slug ?? slugOfSkill(name);
    /** Slugs that sibling folders have. */
    const ofFolders: string[] = [];
    const exhausted = () => new ServiceError("conflict", `No free slug was found for "${name}": try again.`);
    return retryLost({ attempts: slugAttempts, exhausted }, async (attempt) => {
      // Before the look-up by name: a concurrent publish of the same name takes the slug that is chosen from this list,
      // so the unique index causes another attempt here.
      const isFirst = attempt === 0 && isSlugLikelyFree(source, workspaceId);
      const known = isFirst ? early?.(tenant._id) : undefined;
      const [taken, view] = await Promise.all([
        isFirst ? [] : listSlugsLike(tenant._id, base),
        known?.view ?? loadFolderView(app, actor, tenant._id),
      ]);
      const existing = await findTarget(app, view, tenant, { ...input, workspaceId }, name, known?.named);
      refuseRequiredUnlessPrivate(
        existing?.slug ?? base,
        existing?.visibility ?? input.visibility ?? "private",
        requiredServerIds,
      );
      if (existing) return appendToExisting(app, actor, existing, source, { ...input, ...identity });
      // Before any error about slugs, so that a caller who may neither read nor create learns nothing about them.
      const folderId = workspaceId ?? (await chooseFolder(app, view, input));
      const present = input.createFolders ? await loadFolderView(app, actor, tenant._id) : view;
      checkSkillPermissionIn(present, "skill:create", folderId, tenant.slug);
      if (input.mode === "create" && [...taken, ...ofFolders].includes(base))
        throw await slugTaken(app, actor, tenant, { name, slug: base });
      const slug = freeSlug(base, [...taken, ...ofFolders]);
      const chosen = { name, type, slug, folderId, versionId: identity.versionId, requiredServerIds };
      const created = await createSkill(app, actor, tenant, source, { ...input, ...chosen });
      if (created !== "occupied") return created;
      ofFolders.push(slug);
      return undefined;
    });
  });
}

/**
 * Whether a publish tries the slug of the name without a query for taken slugs, which the unique index makes up for. A
 * package would be written twice, and members often have skills of the same name in their workspaces.
 */
function isSlugLikelyFree(source: VersionSource, workspaceId: string | undefined): boolean {
  return source.format === "markdown" && workspaceId === undefined;
}

/** The caller's workspace, which may contain private skills only. */
async function workspaceFor(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  { visibility = "private" }: PublishSkill,
): Promise<string> {
  requirePrivate(visibility);
  return chooseWorkspace(app, actor, tenant);
}

export function requirePrivate(visibility: Visibility): void {
  if (visibility === "private") return;
  throw new ServiceError(
    "refused",
    `A skill in a personal workspace is private: leave visibility out, or publish to a folder.`,
    { kind: "workspace" },
  );
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

async function appendToExisting(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  source: VersionSource,
  input: PublishSkill & Pick<AppendRequest, "versionId" | "isFirstAttempt">,
): Promise<Published> {
  requireSameType(skill, input.type);
  const appended = await appendVersion(app, actor, skill, source, input);
  const updated = await requireServers(app, actor, appended.skill, input.requiredMcpServers);
  const ignoredFlags = await ignoredFlagsOf(app, actor, skill, input);
  return { action: "updated", ignoredFlags, ...appended, skill: updated };
}

export function requireSameType(skill: SkillDoc, type: SkillType | undefined): void {
  if (type === undefined || type === skill.type) return;
  throw new ServiceError(
    "refused",
    `"${skill.slug}" is a ${skill.type}, and a type never changes: choose another name.`,
    { kind: "skill", ref: skill.slug },
  );
}

/** The result of an interrupted attempt of the same call. */
async function findPublished(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  input: PublishSkill & { workspaceId: string | undefined },
  creation: Creation | undefined,
): Promise<Published | undefined> {
  if (!creation?.isRetry) return undefined;
  const { content, type = input.defaultType ?? "skill" } = input;
  const compute = app.compute.by(actorKey(actor));
  const name =
    input.name ??
    (content === undefined ? undefined : chooseName(input, await readTextSource(compute, content, type)));
  const named =
    name === undefined
      ? await listWithVersion(app, actor, tenant, creation.id)
      : await listNamed(app, await loadFolderView(app, actor, tenant._id), input, name);
  for (const skill of named) {
    const version = await findCreated(app, skill, creation);
    if (!version) continue;
    const action = version.version === 1 ? "created" : "updated";
    const ignoredFlags = action === "created" ? [] : await ignoredFlagsOf(app, actor, skill, input);
    return { action, unchanged: false, skill, version, ignoredFlags, warnings: [] };
  }
  return undefined;
}

/** Flags of a publish that have no effect on an existing skill. */
export async function ignoredFlagsOf(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  input: Pick<PublishSkill, "folder" | "visibility">,
): Promise<Published["ignoredFlags"]> {
  const ignoredFlags: Published["ignoredFlags"] = [];
  if (input.folder !== undefined && !(await isAtPath(app, actor, skill, input.folder)))
    ignoredFlags.push("folder");
  if (input.visibility !== undefined && input.visibility !== skill.visibility)
    ignoredFlags.push("visibility");
  return ignoredFlags;
}

/** Whether a skill is in the folder at a path, which need not exist. */
async function isAtPath(app: App, actor: Actor, skill: SkillDoc, folder: string): Promise<boolean> {
  const { tree } = await loadFolderView(app, actor, skill.tenantId);
  const slugs = readFolderPath(folder).map(slugOfFolder);
  return (skill.folderId === null ? "" : tree.path(skill.folderId)) === slugs.join("/");
}
