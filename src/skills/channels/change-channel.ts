/** Changes of a skill's channels. Each is one write to the skill's document, with its audit event. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import { isChannelName } from "../../../contract/names/channel-name.ts";
import type { SkillReachPayload } from "../../../contract/payloads/skills/reach.ts";
import type { Channel, SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { annotateSkill, makeSkillEvent } from "../annotate.ts";
import { loadSkill, type SeenSkill } from "../load.ts";
import { stateOf } from "../marks/marks.ts";
import { reachOf } from "../reach/reach.ts";
import { skillRetries } from "../skill-retries.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readSelector } from "../versions/semver.ts";
import { channelOf, withChannel, withoutChannels } from "./channels.ts";

export interface ChangedChannel {
  skill: SeenSkill;
  channel: Channel;
  /** Only of a dry run. */
  reach?: SkillReachPayload;
  /** As it was before; undefined for a new channel. */
  previous: Channel | undefined;
}

/**
 * Makes a channel point to the version that a pin selects. A channel that points to it already stays as it is. Throws
 * `refused` for a version that can't be installed, and `limit_reached` for too many channels.
 */
export async function setChannel(
  app: App,
  actor: Actor,
  ref: string,
  name: string,
  wanted: string,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<ChangedChannel> {
  if (!isChannelName(name))
    throw invalidRequest(
      `"${name}" is not a valid channel name. Use at most 32 lower-case letters, digits and hyphens, beginning ` +
        "with a letter. latest, head and names in the form of a version are reserved.",
    );
  const selector = readSelector(wanted);
  return retryLost(skillRetries(ref), async () => {
    const skill = await loadSkill(app, actor, ref, "skill:update");
    const { version, semver } = await selectVersion(app, skill, selector);
    const state = stateOf(skill, version);
    if (state !== "published" && state !== "deprecated")
      throw new ServiceError(
        "refused",
        `${semver} is ${state}, so no channel can point to it. Choose a published version.`,
        {
          kind: "skill",
          ref,
        },
      );
    const previous = channelOf(skill, name);
    const reach = dryRun ? await reachOf(app, skill, { version, semver, channel: name }) : undefined;
    if (previous?.version === version) return { skill, channel: previous, previous, reach };
    const channel = { name, version, semver, movedAt: app.now() };
    const channels = withChannel(skill, channel);
    if (!previous && channels.length > limits.skillChannels)
      throw new ServiceError(
        "limit_reached",
        `"${skill.slug}" has ${limits.skillChannels} channels: delete one of them first.`,
        { kind: "skill", ref },
      );
    if (dryRun) return { skill: { ...skill, channels }, channel, previous, reach };
    const change = previous ? "moved" : "created";
    const metadata = { change, channel: name, from: previous?.semver, to: semver };
    const updated = await write(app, actor, skill, channels, metadata);
    return updated && { skill: updated, channel, previous };
  });
}

/**
 * Deletes a channel: pins that name it then select nothing. Returns it as it was. Throws `not_found` if there is none
 * of that name.
 */
export async function deleteChannel(
  app: App,
  actor: Actor,
  ref: string,
  name: string,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Pick<ChangedChannel, "skill" | "channel" | "reach">> {
  return retryLost(skillRetries(ref), async () => {
    const skill = await loadSkill(app, actor, ref, "skill:update");
    const previous = channelOf(skill, name);
    if (!previous)
      throw new ServiceError("not_found", `"${skill.slug}" has no channel "${name.slice(0, 80)}".`, {
        kind: "content",
        ref: `${skill.slug}@${name.slice(0, 80)}`,
      });
    if (dryRun) {
      const { version, semver } = previous;
      const reach = await reachOf(app, skill, { version, semver, channel: name });
      return { skill, channel: previous, reach };
    }
    const metadata = { change: "deleted", channel: name, from: previous.semver };
    const updated = await write(app, actor, skill, withoutChannels(skill, [name]), metadata);
    return updated && { skill, channel: previous };
  });
}

/** Returns undefined if the skill has changed since it was read. */
async function write(
  app: App,
  actor: Actor,
  skill: SeenSkill,
  channels: SkillDoc["channels"] | null,
  metadata: { change: string; channel: string; from?: string; to?: string },
): Promise<SeenSkill | undefined> {
  const event = makeSkillEvent(app, actor, "skill.channel_updated", skill, metadata);
  return annotateSkill(app, skill, { channels }, [event]);
}
