/** The malicious versions of skills of others that an administrator of the service sees and releases. */
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import { administers } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { findForAdministrator, type SeenSkill } from "../load.ts";
import { isHeldAsMalicious, unseenVersions } from "../marks/marks.ts";
import { isShared } from "../scan/apply-verdict.ts";

/**
 * Loads a skill for what concerns one of its versions (number or semver): with the caller's own access, or for an
 * administrator whose own access does not show a version that only administrators release. Throws what `load` throws.
 */
export async function loadForVersion(
  app: App,
  actor: Actor,
  ref: string,
  wanted: string,
  load: () => Promise<SeenSkill>,
): Promise<SeenSkill> {
  if (actor.kind !== "user" || !administers(actor)) return load();
  const own = await load().catch((error: unknown) => {
    if (error instanceof ServiceError && ["not_found", "forbidden"].includes(error.code)) return error;
    throw error;
  });
  const isOwn = !(own instanceof ServiceError);
  const seen = isOwn ? markedAs(own, wanted) : undefined;
  if (isOwn && !(seen && unseenVersions(own).includes(seen.version))) return own;
  const skill = await findForAdministrator(app, actor, ref);
  if (skill && (await isReleasedBy(app, actor, skill, wanted)))
    return { ...skill, can: ["read", "review"], asAdministrator: true };
  if (isOwn) return own;
  throw own;
}

const markedAs = ({ marks = [] }: SkillDoc, wanted: string) =>
  marks.find(({ version, semver }) => wanted === String(version) || wanted === semver);

/** Whether the version waits for an administrator, or was released by this one. */
async function isReleasedBy(app: App, actor: UserActor, skill: SkillDoc, wanted: string): Promise<boolean> {
  const mark = markedAs(skill, wanted);
  if (!mark || !isShared(skill)) return false;
  if (isHeldAsMalicious(mark)) return true;
  const { override } = (await app.storage.versionScans.find(skill._id, mark.version)) ?? {};
  return override?.byAdministrator === true && override.by.id === actor.userId;
}
