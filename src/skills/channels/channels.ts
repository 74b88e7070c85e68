/** Channels of a skill: named pointers to versions (`docs/concepts/versions.md`). Pure. */
import { isChannelName } from "../../../contract/names/channel-name.ts";
import type { ChannelPayload } from "../../../contract/payloads/skills/channels.ts";
import type { Channel, SkillDoc } from "../../../storage/skills/skills.ts";
import type { SeenSkill } from "../load.ts";
import { stateOf, unseenVersions } from "../marks/marks.ts";

type WithChannels = Pick<SkillDoc, "channels">;

export function channelOf({ channels = [] }: WithChannels, name: string): Channel | undefined {
  return channels.find((channel) => channel.name === name);
}

/** Names of the channels that point to a version; undefined if there are none. */
export function channelsAt({ channels = [] }: WithChannels, version: number): string[] | undefined {
  const names = channels.filter((channel) => channel.version === version).map(({ name }) => name);
  return names.length === 0 ? undefined : names;
}

/** The version that installs from a channel get: none while it is held. */
export function targetOf(
  skill: WithChannels & Pick<SkillDoc, "marks">,
  name: string,
): Pick<Channel, "version" | "semver"> | undefined {
  const channel = channelOf(skill, name);
  const state = channel && stateOf(skill, channel.version);
  return state === "published" || state === "deprecated" ? channel : undefined;
}

/**
 * The version that a stored pin follows: that of its channel, which is undefined if there is none, else the current
 * one.
 */
export function followedBy(
  skill: WithChannels & Pick<SkillDoc, "marks"> & { current: Pick<Channel, "version" | "semver"> },
  pin: string | undefined,
): Pick<Channel, "version" | "semver"> | undefined {
  return pin !== undefined && isChannelName(pin) ? targetOf(skill, pin) : skill.current;
}

/** The channels with one of them replaced or added, by name. */
export function withChannel({ channels = [] }: WithChannels, channel: Channel): Channel[] {
  const others = channels.filter(({ name }) => name !== channel.name);
  return [...others, channel].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The channels without the given ones; null if none is left. */
export function withoutChannels(
  { channels = [] }: WithChannels,
  names: readonly string[] = [],
): Channel[] | null {
  const rest = channels.filter(({ name }) => !names.includes(name));
  return rest.length === 0 ? null : rest;
}

/** A channel for the caller for whom the skill was loaded. */
export function presentChannel(
  skill: SeenSkill,
  { name, version, semver, movedAt }: Channel,
): ChannelPayload {
  const target = targetOf(skill, name);
  const isSeen = target !== undefined || !unseenVersions(skill).includes(version);
  return {
    name,
    version: isSeen ? version : null,
    semver: isSeen ? semver : null,
    held: isSeen && stateOf(skill, version) === "held" ? true : undefined,
    movedAt: movedAt.toISOString(),
  };
}

export const presentChannels = (skill: SeenSkill): ChannelPayload[] =>
  (skill.channels ?? []).map((channel) => presentChannel(skill, channel));
