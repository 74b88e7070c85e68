/** The names of skills in `svc.json` and `svc.lock`. */
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { qualifiedName } from "../install/publisher.ts";
import type { Project } from "./files.ts";
import { parseManifest, renameRef } from "./manifest.ts";

/**
 * The name of a skill in the files. The lock identifies it by id; without a lock, a slug alone in the manifest means a
 * skill of the user's organizations (`own`) and never one of another organization.
 */
export function refOf(
  { manifest, lock }: Pick<Project, "manifest" | "lock">,
  { publicId, slug, tenantSlug }: Pick<SkillPayload, "publicId" | "slug" | "tenantSlug">,
  own: boolean,
): string | undefined {
  const locked = [...(lock ?? [])].find(([, entry]) => entry.publicId === publicId)?.[0];
  if (locked !== undefined && (manifest === undefined || manifest.skills.has(locked))) return locked;
  const names = [`${tenantSlug}/${slug}`, publicId, ...(own ? [slug] : [])];
  const isIt = (ref: string) =>
    names.includes(ref) || (ref.includes("://") && ref.endsWith(`/s/${publicId}`));
  const requested = [...(manifest?.skills.keys() ?? [])].find(
    (ref) => isIt(ref) && (lock?.get(ref)?.publicId ?? publicId) === publicId,
  );
  return requested ?? (manifest === undefined ? locked : undefined);
}

/** Whether the name of a skill in the files is one that it had before it was renamed. */
export function isFormerName(
  ref: string,
  skill: Pick<SkillPayload, "publicId" | "slug" | "tenantSlug">,
): boolean {
  const names = [qualifiedName(skill), skill.slug, skill.publicId];
  return !ref.includes("://") && !names.includes(ref);
}

/** The project with the name of a skill, `known`, replaced by its current one with its organization. */
export function withPresentName(
  project: Project,
  skill: Pick<SkillPayload, "slug" | "tenantSlug">,
  known: string,
): Project {
  const { manifestText: text, manifestPath, manifest, lock } = project;
  const ref = qualifiedName(skill);
  if (manifest?.skills.has(ref) === true || lock?.has(ref) === true) return project;
  const manifestText = text && renameRef(text, manifestPath, known, ref);
  return {
    ...project,
    manifestText,
    manifest: manifestText === undefined ? undefined : parseManifest(manifestText, manifestPath),
    lock: lock && new Map([...lock].map(([key, entry]) => [key === known ? ref : key, entry])),
  };
}
