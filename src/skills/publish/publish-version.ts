/** Publishes a new version of an existing skill. */
import type { SkillDoc } from "../../../storage/skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { Creation } from "../../http/route.ts";
import { loadSkill } from "../load.ts";
import type { PublishVersion } from "../schema.ts";
import { findVersionById } from "../versions.ts";
import { appendVersion, type Appended } from "./append-version.ts";
import { loadPublishedSemvers, nextSemver, readExactSemver } from "./next-semver.ts";
import { withVersionSource } from "./version-source.ts";

/** Requires `skill:update` on the skill. */
export async function publishVersion(
  app: App,
  actor: Actor,
  ref: string,
  input: PublishVersion,
  creation?: Creation,
): Promise<Appended> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  const earlier = await findCreated(app, skill, creation);
  if (earlier) return { skill, version: earlier, unchanged: false, warnings: [] };
  // An unusable number fails before any byte is read, unless there may be nothing to publish.
  if (input.semver !== undefined) readExactSemver(input.semver);
  if (!input.ifChanged) nextSemver(await loadPublishedSemvers(app, skill, input), input);
  return withVersionSource(app, actor, input, skill.type, (source) =>
    appendVersion(app, actor, skill, source, {
      ...input,
      versionId: creation?.id,
      isFirstAttempt: creation?.isRetry === false,
    }),
  );
}

/** The version that an interrupted attempt of the same call created. */
export async function findCreated(
  app: App,
  skill: SkillDoc,
  creation: Creation | undefined,
): Promise<VersionDoc | null> {
  return creation?.isRetry ? findVersionById(app, skill, creation.id) : null;
}
