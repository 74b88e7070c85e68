import { limits } from "../../../contract/limits.ts";
import type { VersionPayload } from "../../../contract/payloads/skills/skills.ts";
import type { Client } from "../../api/client.ts";
import { collectPages } from "../../api/pages.ts";
import { parseLimit } from "../../arguments/limit-flag.ts";
import { parseUnpinnedRef, parsePin } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { qualifiedName } from "../../install/publisher.ts";
import {
  originText,
  presentOrigin,
  presentState,
  presentVersion,
  skillArgument,
  stateText,
} from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { renderTable } from "../../terminal/table.ts";

const defaultLimit = 20;

export const versions = defineCommand({
  positionals: { skill: skillArgument },
  flags: {
    spec: {
      value: "required",
      hint: "range",
      description: "Only versions in this range, this exact one, or that of a channel",
    },
    limit: { value: "required", hint: "n", description: `At most this many (default ${defaultLimit})` },
    all: { value: "none", description: "All of them" },
    prerelease: { value: "none", description: "Prereleases too" },
  },
  exclusive: [["limit", "all"]],
  examples: [
    "svc versions code-review",
    'svc versions acme/code-review --spec "^1.2"',
    "svc versions code-review --all",
  ],
  async run(context, args) {
    const wanted = args.all ? Infinity : parseLimit(args.limit, defaultLimit);
    const spec = args.spec === undefined ? undefined : parsePin(args.spec, "--spec");
    const ref = parseUnpinnedRef(args.skill, "<skill>", "versions takes no pin: use --spec.");

    const { client } = await openSession(context);
    const { skill } = await client.find(ref);
    const chosen = await chosenVersions(client, skill.publicId, spec);
    const { items, more } = await collectPages(
      (cursor) =>
        client.versions(skill.publicId, {
          spec: chosen,
          prerelease: args.prerelease ? true : undefined,
          limit: Math.min(wanted, limits.pageSizeMax),
          cursor,
        }),
      wanted,
    );
    const data = items.map((version) => {
      const origin = presentOrigin(version);
      const channels = channelsOf(version);
      return {
        ...presentVersion(version),
        ...presentState(version),
        current: version.current,
        channels,
        origin,
      };
    });
    const hasStates = items.some((version) => stateText(version) !== "");
    const hasOrigins = data.some(({ origin }) => origin !== undefined);
    if (more)
      context.output.note(`Only the newest ${items.length} are shown: use --limit or --all for more.`);
    const text =
      data.length === 0
        ? `No version of ${qualifiedName(skill)} matches.`
        : `${context.output.paint("bold", qualifiedName(skill))}\n${renderTable(
            [
              "VERSION",
              ...(hasStates ? ["STATE"] : []),
              "#",
              "PUBLISHED",
              ...(hasOrigins ? ["FROM"] : []),
              "MESSAGE",
            ],
            items.map((version) => [
              [version.semver, ...marksOf(version)].join(" "),
              ...(hasStates ? [stateText(version)] : []),
              String(version.version),
              version.createdAt.slice(0, 10),
              ...(hasOrigins ? [originText(version)] : []),
              version.message,
            ]),
            { columns: context.output.columns, paintHead: (head) => context.output.paint("bold", head) },
          )}`;
    return { data, text };
  },
});

/** Names of the channels that point to a version; services of earlier versions have none. */
const channelsOf = ({ channels }: VersionPayload) => (Array.isArray(channels) ? channels.map(String) : []);

function marksOf(version: VersionPayload): string[] {
  const marks = [...(version.current ? ["current"] : []), ...channelsOf(version)];
  return marks.length === 0 ? [] : [`(${marks.join(", ")})`];
}

/** The range for the service; `latest` is the current version. Undefined for all versions. */
async function chosenVersions(
  client: Client,
  publicId: string,
  spec: string | undefined,
): Promise<string | undefined> {
  if (spec !== "latest") return spec;
  const { version } = await client.resolve(publicId, spec);
  return version.semver;
}
