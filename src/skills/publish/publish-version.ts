/** Publishes a new version of an existing skill. */
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { Creation } from "../../http/route.ts";
import {
  refuseRequiredUnlessPrivate,
  resolveRequired,
  type RequiredServers,
} from "../../mcp-servers/required.ts";
import { findStorageRefusal } from "../../orgs/storage/usage.ts";
import { loadSkill, type PrefetchedSkill } from "../load.ts";
import type { PublishVersion } from "../schema.ts";
import { requireServers } from "../settings/settings.ts";
import { selectVersion } from "../versions/select-version.ts";
import { findVersionById } from "../versions/versions.ts";
import { appendVersion, type Appended } from "./append-version.ts";
import { requireBase } from "./base.ts";
import { readEditedSource } from "./content/edit-source.ts";
import { predecessorOf } from "./content/equal-content.ts";
import type { VersionSource } from "./content/text-source.ts";
import { withVersionSource, type OpenSource } from "./content/version-source.ts";
import { loadPublishedSemvers, nextSemver, readExactSemver } from "./next-semver.ts";

/** Requires `skill:update` on the skill. */
export async function publishVersion(
  app: App,
  actor: Actor,
  ref: string,
  input: PublishVersion,
  {
    creation,
    prefetched,
    open = (type, publish) => withVersionSource(app, actor, input, type, publish),
  }: {
    creation?: Creation;
    prefetched?: PrefetchedSkill;
    open?: OpenSource;
  } = {},
): Promise<Appended> {
  const skill = await loadSkill(app, actor, ref, "skill:update", { prefetched });
  const earlier = await findCreated(app, skill, creation);
  if (earlier) {
    const named = await resolveRequired(app, actor, skill.tenantId, input.requiredMcpServers);
    const updated = await requireServers(app, actor, skill, named);
    return { skill: updated, version: earlier, unchanged: false, warnings: [] };
  }
  // While the content is read, so that the publish waits for no further round trip.
  const refused = findStorageRefusal(app, skill.tenantId);
  // An unusable number fails before any byte is read, unless there may be nothing to publish.
  if (input.semver !== undefined) readExactSemver(input.semver);
  const published = await loadPublishedSemvers(app, skill, input);
  if (!input.ifChanged) nextSemver(published, input);
  const base = await loadBase(app, skill, input.base);
  if (base) requireBase(skill, await predecessorOf(app, skill, published, input), base);
  const request = {
    ...input,
    base,
    refused,
    versionId: creation?.id,
    isFirstAttempt: creation?.isRetry === false,
  };
  const required = await checkRequired(app, actor, skill, input.requiredMcpServers);
  const append = async (source: VersionSource) => {
    const appended = await appendVersion(app, actor, skill, source, request);
    const updated = await requireServers(app, actor, appended.skill, required);
    return { ...appended, skill: updated };
  };
  if (base && input.changes) return append(await readEditedSource(app, actor, skill, base, input.changes));
  return open(skill.type, append);
}

/** The servers that a request names. Throws `not_found` or `refused` if the skill can't require them. */
export async function checkRequired(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  required: PublishVersion["requiredMcpServers"],
): Promise<RequiredServers | undefined> {
  const named = await resolveRequired(app, actor, skill.tenantId, required);
  refuseRequiredUnlessPrivate(skill.slug, skill.visibility, named?.ids);
  return named;
}

/** Throws `not_found` if the skill has no version of that number. */
export async function loadBase(
  app: App,
  skill: SkillDoc,
  version: number | undefined,
): Promise<VersionDoc | undefined> {
  return version === undefined ? undefined : selectVersion(app, skill, { kind: "number", version });
}

/** The version that an interrupted attempt of the same call created. */
export async function findCreated(
  app: App,
  skill: SkillDoc,
  creation: Creation | undefined,
): Promise<VersionDoc | null> {
  return creation?.isRetry ? findVersionById(app, skill, creation.id) : null;
}
