/** The name of a skill in the cache and in the tools. */
import type { SkillPayload } from "../../../contract/payloads/skills/skills.ts";
import type { Config } from "../../state/config.ts";
import { skillFolderName } from "../../targets/render.ts";

/**
 * The current install name, or `preferred` from a project's lock, or the slug, or the slug with its
 * organization as prefix, or with its public id as suffix. All profiles share the cache, so a name that
 * another profile gave to another skill is taken.
 */
export function freeInstallName(
  config: Config,
  profile: string,
  skill: Pick<SkillPayload, "publicId" | "slug" | "tenantSlug">,
  preferred?: string,
): string {
  const own = Object.entries(config.profiles[profile]?.installed ?? {}).find(
    ([, installed]) => installed.publicId === skill.publicId,
  );
  if (own !== undefined) return own[0];
  const isFree = (name: string) =>
    Object.values(config.profiles).every(
      ({ installed }) => !Object.hasOwn(installed, name) || installed[name]!.publicId === skill.publicId,
    );
  if (preferred !== undefined && isFree(preferred)) return preferred;
  const names = [skill.slug, `${skill.tenantSlug}-${skill.slug}`].map(skillFolderName);
  return names.find(isFree) ?? `${skillFolderName(skill.slug).slice(0, 48)}-${skill.publicId.toLowerCase()}`;
}
