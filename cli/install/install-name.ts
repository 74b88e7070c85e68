/** Under which name a skill lies in the cache and in the tools. */
import type { SkillPayload } from "../../contract/payloads.ts";
import type { Config } from "../state/config.ts";
import { skillFolderName } from "../targets/render.ts";

/**
 * The name it is installed under already, else `preferred` as a project's lock has it, else its slug, else with its
 * organization before it, else with its public id behind it. The cache is shared by all profiles, so a name that
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
