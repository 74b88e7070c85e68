/** Plan of a publish or a push, by the digests of its content: with the same checks, and without any change. */
import type { PublishPlan, VersionPlan } from "../../../contract/payloads/plans.ts";
import type { VersionSummary } from "../../../storage/skills.ts";
import type { TenantDoc } from "../../../storage/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { loadFolderView, type FolderView } from "../../folders/load.ts";
import { planFolderPath } from "../../folders/tree/create.ts";
import { folderAtPath } from "../../folders/tree/paths.ts";
import { slugOfSkill } from "../../folders/tree/slug.ts";
import { refuseRequiredUnlessPrivate, resolveRequired } from "../../mcp-servers/required.ts";
import { loadTenant } from "../../orgs/service.ts";
import { findWorkspace } from "../../workspaces/own.ts";
import { loadSkill } from "../load.ts";
import type { PlanPublish, PlanVersion } from "../schema.ts";
import { checkSkillPermissionIn } from "../settings/place.ts";
import { otherLocation } from "./append-version.ts";
import { requireBase } from "./base.ts";
import { predecessorOf } from "./content/equal-content.ts";
import { checkVersionContent } from "./content/refused-content.ts";
import { findTarget, slugTaken } from "./find-target.ts";
import { loadPublishedSemvers, nextSemver, readFirstSemver } from "./next-semver.ts";
import { ignoredFlagsOf, requirePrivate, requireSameType } from "./publish-skill.ts";
import { checkRequired, loadBase } from "./publish-version.ts";
import { freeSlug } from "./slug.ts";

/** Throws what the publish would throw. */
export async function planPublish(app: App, actor: Actor, input: PlanPublish): Promise<PublishPlan> {
  const tenant = await loadTenant(app, actor, input.tenantId, "member");
  if (input.personal) requirePrivate(input.visibility ?? "private");
  const required =
    input.requiredMcpServers && (await resolveRequired(app, actor, tenant._id, input.requiredMcpServers));
  const workspaceId = input.personal ? await findWorkspace(app, actor, tenant) : undefined;
  const isWithoutWorkspace = input.personal === true && workspaceId === undefined;
  if (isWithoutWorkspace && input.mode === "update") throw notFound("skill", input.name);
  const view = await loadFolderView(app, actor, tenant._id);
  const existing = isWithoutWorkspace
    ? undefined
    : await findTarget(app, view, tenant, { ...input, workspaceId }, input.name);
  const slug = existing?.slug ?? slugOfSkill(input.name);
  refuseRequiredUnlessPrivate(slug, existing?.visibility ?? input.visibility ?? "private", required);
  if (existing === undefined)
    return planCreation(app, view, tenant, input, isWithoutWorkspace ? "new" : workspaceId);

  requireSameType(existing, input.type);
  await checkVersionContent(app, existing, input.hash);
  const { publicId, tenantSlug, name, type, visibility } = existing;
  const { semver } = input;
  const published = await loadPublishedSemvers(app, existing, { semver });
  return {
    action: "updated",
    unchanged: isEqual(existing.current, input),
    skill: { publicId, slug, tenantSlug, name, type, visibility },
    semver: nextSemver(published, { semver }),
    ignoredFlags: await ignoredFlagsOf(app, actor, existing, input),
    previousContentLocation: otherLocation(existing, input.contentLocation),
  };
}

/** `workspace`: the id of the caller's workspace, or `new` for one that the publish would create. */
async function planCreation(
  app: App,
  view: FolderView,
  tenant: TenantDoc,
  input: PlanPublish,
  workspace: string | undefined,
): Promise<PublishPlan> {
  const { name, visibility = "private" } = input;
  if (workspace !== "new")
    checkSkillPermissionIn(view, "skill:create", workspace ?? folderOf(view, input), tenant.slug);
  const base = slugOfSkill(name);
  const taken = await app.storage.skills.listSlugsLike(tenant._id, base);
  if (input.mode === "create" && taken.includes(base))
    throw await slugTaken(app, view.actor, tenant, { name, slug: base });
  const slug = freeSlug(base, taken);
  await checkVersionContent(app, { tenantId: tenant._id, slug, visibility }, input.hash);
  return {
    action: "created",
    unchanged: false,
    skill: {
      slug,
      tenantSlug: tenant.slug,
      name,
      type: input.type ?? input.defaultType ?? "skill",
      visibility,
    },
    semver: readFirstSemver(input.semver),
    ignoredFlags: [],
  };
}

/** The destination; for one that is still to be created, the folder around it. */
function folderOf(view: FolderView, { folder, createFolders }: PlanPublish): string | null {
  if (folder === undefined) return null;
  return createFolders ? planFolderPath(view, folder).parentId : folderAtPath(view, folder);
}

/** Requires `skill:update`. Throws what the push would throw. */
export async function planVersion(
  app: App,
  actor: Actor,
  ref: string,
  input: PlanVersion,
): Promise<VersionPlan> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  const published = await loadPublishedSemvers(app, skill, input);
  const semver = nextSemver(published, input);
  const followed = await predecessorOf(app, skill, published, input);
  requireBase(skill, followed, await loadBase(app, skill, input.base));
  await checkRequired(app, actor, skill, input.requiredMcpServers);
  await checkVersionContent(app, skill, input.hash);
  return { semver, unchanged: isEqual(followed, input) };
}

/** Whether a version has the content. A text is equal as it was published, and as it is stored. */
function isEqual(
  version: VersionSummary,
  { format, hash, frontmatterHash }: Pick<PlanPublish, "format" | "hash" | "frontmatterHash">,
): boolean {
  if (version.format !== format) return false;
  if (format === "package") return version.digest === hash;
  const { published, stored } = version.frontmatter ?? {};
  return (
    version.hash === hash && frontmatterHash !== undefined && [published, stored].includes(frontmatterHash)
  );
}
