/** Previous slugs in the lists of a marketplace, by which Claude Code changes its settings. */
import { limits } from "../../../contract/limits.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { App } from "../../app.ts";

/** Current slugs by previous ones; null for public skills that were deleted lately. */
export type Renames = Record<string, string | null>;

/**
 * @param isPublic whether strangers read the list, so that it has no slug from a time when the skill was not public
 * @param withDeleted whether deleted skills that were public are in it
 * @returns undefined if there are none: no skill had another slug, or all previous slugs are free again
 */
export async function renamesOf(
  app: App,
  { _id, reservesSlugs }: TenantDoc,
  skills: readonly { id: string; slug: string }[],
  { isPublic, withDeleted }: { isPublic: boolean; withDeleted: boolean },
): Promise<Renames | undefined> {
  if (!reservesSlugs) return undefined;
  const { slugReservations } = app.storage;
  const slugs = new Map(skills.map(({ id, slug }) => [id, slug]));
  const [former, gone] = await Promise.all([
    slugReservations.listFormer(_id, [...slugs.keys()], isPublic || undefined),
    withDeleted ? slugReservations.listDeletedPublic(_id, limits.skillsPerMarketplace) : [],
  ]);
  const renames = [
    ...former
      .map(({ slug, skillId }) => [slug, slugs.get(skillId)!] as const)
      .filter(([from, to]) => from !== to),
    ...gone.map(({ slug }) => [slug, null] as const),
  ];
  return renames.length === 0 ? undefined : Object.fromEntries(renames);
}
