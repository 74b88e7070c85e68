/**
 * Target of a publish by name and of its plan: the organization, workspace and servers that the request names, and the
 * skill or place that it goes to. Also the errors if a name is ambiguous or taken.
 */
import type { SkillType, Visibility } from "../../../contract/vocabulary.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, forbidden, notFound } from "../../errors.ts";
import type { FolderView } from "../../folders/load.ts";
import { folderAtPath, readFolderPath } from "../../folders/tree/paths.ts";
import { slugOfFolder } from "../../folders/tree/slug.ts";
import {
  refuseRequiredUnlessPrivate,
  resolveRequired,
  type RequiredServers,
} from "../../mcp-servers/required.ts";
import { loadTenant } from "../../orgs/service.ts";
import type { chooseWorkspace, findWorkspace } from "../../workspaces/own.ts";
import { keepAllowed } from "../load.ts";
import { presentCandidates } from "../resolve.ts";
import type { PlanPublish } from "../schema.ts";
import { slugReserved } from "../slugs/reserve.ts";
import type { Published } from "./create-skill.ts";
import { listSameName, workspaceAt } from "./same-name.ts";
import { freeSlug, nameKeyOf } from "./slug.ts";

/** The part of a request that its target depends on. */
export type TargetRequest = Omit<PlanPublish, "name" | "format" | "hash" | "frontmatterHash">;

/** Everything that a request refers to, looked up once for all steps of the publish. */
export interface PublishTarget {
  tenant: TenantDoc;
  /** Folder of the caller's workspace, for a publish to it; undefined for any other. */
  workspaceId: string | undefined;
  /** The publish goes to a workspace that does not exist yet. Only of a plan. */
  isWorkspaceMissing: boolean;
  /** Type of a new skill. */
  type: SkillType;
  required: RequiredServers | undefined;
}

/** `workspaceOf`: finds the caller's workspace, or creates it as well. */
export async function resolveTarget(
  app: App,
  actor: Actor,
  input: TargetRequest,
  workspaceOf: typeof chooseWorkspace | typeof findWorkspace,
): Promise<PublishTarget> {
  const { personal = false, visibility = "private" } = input;
  const tenant = await loadTenant(app, actor, input.tenantId, "member");
  if (personal) requirePrivate(visibility);
  const required = await resolveRequired(app, actor, tenant._id, input.requiredMcpServers);
  const workspaceId = personal ? await workspaceOf(app, actor, tenant) : undefined;
  return {
    tenant,
    workspaceId,
    isWorkspaceMissing: personal && workspaceId === undefined,
    type: input.type ?? input.defaultType ?? "skill",
    required,
  };
}

/** A personal workspace contains private skills only. */
function requirePrivate(visibility: Visibility): void {
  if (visibility === "private") return;
  throw new ServiceError(
    "refused",
    `A skill in a personal workspace is private: leave visibility out, or publish to a folder.`,
    { kind: "workspace" },
  );
}

/**
 * Skills of a name that the caller may read or change, in the workspace that the publish goes to or outside workspaces.
 */
export async function listNamed(
  app: App,
  view: FolderView,
  { workspaceId, isWorkspaceMissing }: PublishTarget,
  { folder = "/" }: Pick<TargetRequest, "folder">,
  name: string,
): Promise<SkillDoc[]> {
  if (isWorkspaceMissing) return [];
  const home = workspaceId ?? workspaceAt(view, folder);
  const named = await listSameName(app, view.tree, nameKeyOf(name), home);
  const seen = await keepAllowed(app, view.actor, "skill:read", named);
  // A token without the scope to read may only change them.
  return seen.length > 0 ? seen : keepAllowed(app, view.actor, "skill:update", named);
}

/** The skill to append to; undefined if one is to be created. Throws `refused` if it can't be what the request says. */
export async function findExisting(
  app: App,
  view: FolderView,
  target: PublishTarget,
  input: TargetRequest,
  wanted: { name: string; slug: string },
): Promise<SkillDoc | undefined> {
  const existing = await findNamed(app, view, target, input, wanted.name);
  refuseRequiredUnlessPrivate(
    existing?.slug ?? wanted.slug,
    existing?.visibility ?? input.visibility ?? "private",
    target.required?.ids,
  );
  if (existing) requireSameType(existing, input.type);
  return existing;
}

function requireSameType(skill: SkillDoc, type: SkillType | undefined): void {
  if (type === undefined || type === skill.type) return;
  throw new ServiceError(
    "refused",
    `"${skill.slug}" is a ${skill.type}, and a type never changes: choose another name.`,
    { kind: "skill", ref: skill.slug },
  );
}

/** The skill of the name that the mode and the caller's permissions select. */
async function findNamed(
  app: App,
  view: FolderView,
  target: PublishTarget,
  input: TargetRequest,
  name: string,
): Promise<SkillDoc | undefined> {
  const { slug: org } = target.tenant;
  const seen = await listNamed(app, view, target, input, name);
  const writable = await keepAllowed(app, view.actor, "skill:update", seen);
  if (input.mode === "create") {
    if (seen[0]) {
      const [existing] = await presentCandidates(app, [seen[0]]);
      throw new ServiceError(
        "already_exists",
        `"${name}" exists in ${org}: push a version to it, or choose another name.`,
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
      `${writable.length} skills in ${org} are named "${name}": push to one by its slug.`,
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

/** The skill in the requested folder, if exactly one of several is there. */
function narrowToFolder(view: FolderView, input: TargetRequest, named: SkillDoc[]): SkillDoc | undefined {
  if (input.folder === undefined) return undefined;
  const folderId = folderAtPath(view, input.folder);
  const there = named.filter((skill) => skill.folderId === folderId);
  return there.length === 1 ? there[0] : undefined;
}

/** The slug of a new skill. Mode `create` never chooses another one than that of the name. Throws `already_exists`. */
export async function chooseSlug(
  app: App,
  actor: Actor,
  { _id: tenantId, slug: org }: TenantDoc,
  mode: PlanPublish["mode"],
  wanted: { name: string; slug: string },
  taken: readonly string[],
): Promise<string> {
  if (mode !== "create" || !taken.includes(wanted.slug)) return freeSlug(wanted.slug, taken);
  const holder = await app.storage.skills.findBySlug(tenantId, wanted.slug);
  const [seen] = await keepAllowed(app, actor, "skill:read", holder ? [holder] : []);
  const [existing] = await presentCandidates(app, seen ? [seen] : []);
  if (!holder) throw slugReserved(org, wanted);
  throw new ServiceError(
    "already_exists",
    `The slug "${wanted.slug}" of "${wanted.name}" is taken in ${org}: choose another name.`,
    { kind: "skill", ref: wanted.name, existing },
  );
}

/** Fields of a request that have no effect on an existing skill. */
export function ignoredFlagsOf(
  view: FolderView,
  skill: SkillDoc,
  { folder, visibility }: Pick<TargetRequest, "folder" | "visibility">,
): Published["ignoredFlags"] {
  const ignoredFlags: Published["ignoredFlags"] = [];
  if (folder !== undefined && !isAtPath(view, skill, folder)) ignoredFlags.push("folder");
  if (visibility !== undefined && visibility !== skill.visibility) ignoredFlags.push("visibility");
  return ignoredFlags;
}

/** Whether a skill is in the folder at a path, which need not exist. */
function isAtPath({ tree }: FolderView, { folderId }: SkillDoc, folder: string): boolean {
  const slugs = readFolderPath(folder).map(slugOfFolder);
  return (folderId === null ? "" : tree.path(folderId)) === slugs.join("/");
}
