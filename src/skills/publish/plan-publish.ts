/** Plan of a publish or a push, by the digests of its content: the same steps, without the writes. */
import type { PublishPlan, VersionPlan } from "../../../contract/payloads/skills/plans.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { VersionSummary } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { loadFolderView, type FolderView } from "../../folders/load.ts";
import { planFolderPath } from "../../folders/tree/create.ts";
import { folderAtPath } from "../../folders/tree/paths.ts";
import { slugOfSkill } from "../../folders/tree/slug.ts";
import { findStorageRefusal, storageRefusal } from "../../orgs/storage/usage.ts";
import { findWorkspace } from "../../workspaces/own.ts";
import { loadSkill, withActs } from "../load.ts";
import { reachOf } from "../reach/reach.ts";
import { findHoldNotice } from "../review/holds.ts";
import type { PlanPublish, PlanVersion } from "../schema.ts";
import { checkSkillPermissionIn } from "../settings/place.ts";
import { otherLocation } from "./append-version.ts";
import { requireBase } from "./base.ts";
import { predecessorOf } from "./content/equal-content.ts";
import { checkVersionContent } from "./content/refused-content.ts";
import { loadPublishedSemvers, nextSemver, readFirstSemver } from "./next-semver.ts";
import { checkRequired, loadBase } from "./publish-version.ts";
import { chooseSlug, findExisting, ignoredFlagsOf, resolveTarget, type PublishTarget } from "./target.ts";

/** Throws what the publish would throw. */
export async function planPublish(app: App, actor: Actor, input: PlanPublish): Promise<PublishPlan> {
  const target = await resolveTarget(app, actor, input, findWorkspace);
  const view = await loadFolderView(app, actor, target.tenant._id);
  const wanted = { name: input.name, slug: slugOfSkill(input.name) };
  const existing = await findExisting(app, view, target, input, wanted);
  if (existing === undefined) return planCreation(app, view, target, input, wanted);

  await checkVersionContent(app, existing, input.hash);
  const { publicId, slug, tenantSlug, name, type, visibility } = existing;
  const { semver } = input;
  const published = await loadPublishedSemvers(app, existing, { semver });
  const unchanged = isEqual(existing.current, input);
  if (!unchanged) requireStorage(app, target.tenant);
  const next = { semver: nextSemver(published, { semver }) };
  const [seen = existing] = await withActs(app, actor, [existing]);
  return {
    action: "updated",
    unchanged,
    skill: { publicId, slug, tenantSlug, name, type, visibility },
    semver: next.semver,
    ignoredFlags: ignoredFlagsOf(view, existing, input),
    previousContentLocation: otherLocation(existing, input.contentLocation),
    holdNotice: await findHoldNotice(app, actor, existing, next),
    reach: await reachOf(app, seen, next),
  };
}

async function planCreation(
  app: App,
  view: FolderView,
  { tenant, workspaceId, isWorkspaceMissing, type }: PublishTarget,
  input: PlanPublish,
  wanted: { name: string; slug: string },
): Promise<PublishPlan> {
  const { mode, visibility = "private" } = input;
  const tenantId = tenant._id;
  const folderId = isWorkspaceMissing ? null : (workspaceId ?? folderOf(view, input));
  if (!isWorkspaceMissing) checkSkillPermissionIn(view, "skill:create", folderId, tenant.slug);
  requireStorage(app, tenant);
  const taken = await app.storage.skills.listSlugsLike(tenantId, wanted.slug);
  const slug = await chooseSlug(app, view.actor, tenant, mode, wanted, taken);
  await checkVersionContent(app, { tenantId, slug, visibility }, input.hash);
  const semver = readFirstSemver(input.semver);
  return {
    action: "created",
    unchanged: false,
    skill: { slug, tenantSlug: tenant.slug, name: wanted.name, type, visibility },
    semver,
    ignoredFlags: [],
    holdNotice: isWorkspaceMissing
      ? undefined
      : await findHoldNotice(app, view.actor, { tenantId, folderId }, { semver }),
  };
}

/** The destination; for one that is still to be created, the folder around it. */
function folderOf(view: FolderView, { folder, createFolders }: PlanPublish): string | null {
  if (folder === undefined) return null;
  return createFolders ? planFolderPath(view, folder).parentId : folderAtPath(view, folder);
}

function requireStorage(app: App, tenant: TenantDoc): void {
  const refusal = storageRefusal(app, tenant);
  if (refusal) throw refusal;
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
  const unchanged = isEqual(followed, input);
  const refusal = unchanged ? undefined : await findStorageRefusal(app, skill.tenantId);
  if (refusal) throw refusal;
  return {
    semver,
    unchanged,
    holdNotice: await findHoldNotice(app, actor, skill, { semver }),
    reach: await reachOf(app, skill, { semver }),
  };
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
