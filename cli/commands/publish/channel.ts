/** Channels of a skill: named pointers to versions. */
import { openChannelCalls } from "../../api/calls/channels.ts";
import { parseChannelName, parseUnpinnedRef, parseVersionSpec } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { qualifiedName } from "../../install/publisher.ts";
import { changedSkillArgument, dryRunFlag, presentNamed, skillArgument } from "../../present.ts";
import { dryRunLines, readReach } from "../../reach.ts";
import { openSession } from "../../state/session.ts";
import { renderTable } from "../../terminal/table.ts";

const name = { required: true, description: "The channel: stable" } as const;

export const channelList = defineCommand({
  positionals: { skill: { ...skillArgument, completes: "installed" } },
  flags: {},
  examples: ["svc channel list code-review", "svc channel list acme/code-review -o json"],
  async run(context, args) {
    const { skill, calls } = await openChannels(context, args.skill);
    const channels = await calls.list(skill.publicId);
    const text = renderTable(
      ["CHANNEL", "VERSION", "MOVED"],
      channels.map((one) => [
        one.name,
        one.held ? `${one.semver} (held)` : (one.semver ?? "none"),
        one.movedAt.slice(0, 10),
      ]),
      { columns: context.output.columns, paintHead: (head) => context.output.paint("bold", head) },
    );
    return {
      data: {
        skill: presentNamed(skill),
        channels: channels.map(({ name: channel, version, semver, held, movedAt }) => ({
          name: channel,
          version,
          semver,
          held: held === true ? held : undefined,
          movedAt,
        })),
      },
      text: channels.length === 0 ? `${qualifiedName(skill)} has no channels.` : text,
    };
  },
});

export const channelSet = defineCommand({
  positionals: {
    skill: { ...changedSkillArgument, completes: "installed" },
    channel: name,
    version: { required: true, description: "Exact, a number, a range, latest or another channel" },
  },
  flags: { "dry-run": dryRunFlag },
  examples: [
    "svc channel set code-review stable 1.2.0",
    "svc channel set acme/code-review beta latest",
    "svc channel set code-review stable 1.2.0 --dry-run",
  ],
  async run(context, args) {
    const channel = parseChannelName(args.channel, "<channel>");
    const wanted = parseVersionSpec(args.version, "<version>");
    const { skill, calls } = await openChannels(context, args.skill);
    const dryRun = args["dry-run"] ? (true as const) : undefined;
    const set = await calls.set(skill.publicId, channel, wanted, dryRun);
    const version = { version: set.version!, semver: set.semver! };
    const previous = set.previous ? { version: set.previous.version, semver: set.previous.semver } : null;
    const isChanged = previous?.version !== version.version;
    const from = previous && isChanged ? ` (was ${previous.semver})` : "";
    const data = { skill: presentNamed(skill), channel, version, previous, changed: isChanged };
    if (dryRun) {
      const reach = readReach(set.reach);
      const would = isChanged ? `Would be set to ${version.semver}${from}` : `Is already ${version.semver}`;
      return {
        data: { dryRun, ...data, reach },
        text: [`${would}: ${qualifiedName(skill)}@${channel}.`, ...dryRunLines([reach])].join("\n"),
      };
    }
    return {
      data,
      text: isChanged
        ? `${qualifiedName(skill)}@${channel} is now ${version.semver}${from}.`
        : `${qualifiedName(skill)}@${channel} is already ${version.semver}.`,
    };
  },
});

export const channelDelete = defineCommand({
  positionals: { skill: { ...changedSkillArgument, completes: "installed" }, channel: name },
  flags: { "dry-run": dryRunFlag },
  examples: ["svc channel delete code-review beta", "svc channel delete code-review beta --dry-run"],
  async run(context, args) {
    const channel = parseChannelName(args.channel, "<channel>");
    const { skill, calls } = await openChannels(context, args.skill);
    const data = { skill: presentNamed(skill), channel, deleted: true as const };
    if (args["dry-run"]) {
      const reach = readReach((await calls.planRemove(skill.publicId, channel)).reach);
      const text = `Would delete the channel ${channel} of ${qualifiedName(skill)}. Pins to it would install nothing.`;
      return {
        data: { dryRun: true as const, ...data, reach },
        text: [text, ...dryRunLines([reach])].join("\n"),
      };
    }
    await calls.remove(skill.publicId, channel);
    return {
      data,
      text: `Deleted the channel ${channel} of ${qualifiedName(skill)}. Pins to it install nothing.`,
    };
  },
});

async function openChannels(context: Context, argument: string) {
  const ref = parseUnpinnedRef(argument, "<skill>", "Name the skill without a version.");
  const { client } = await openSession(context);
  const { skill } = await client.find(ref);
  return { skill, calls: openChannelCalls(client.options) };
}
