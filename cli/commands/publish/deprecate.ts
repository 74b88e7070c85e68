import type { SkillReachPayload } from "../../../contract/payloads/skills/reach.ts";
import type { Client } from "../../api/client.ts";
import { collectPages } from "../../api/pages.ts";
import { parsePinnedRef, unpinned } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { dryRunFlag, presentNamed } from "../../present.ts";
import { dryRunLines, readReach } from "../../reach.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const deprecate = defineCommand({
  positionals: {
    skill: { required: true, description: "The skill, or its versions in a range: code-review@^1" },
  },
  flags: {
    message: { short: "m", value: "required", hint: "text", description: "What to use instead (required)" },
    "dry-run": dryRunFlag,
    undo: { value: "none", description: "Remove the deprecation" },
  },
  exclusive: [["message", "undo"]],
  examples: [
    'svc deprecate code-review -m "Use acme/review instead"',
    'svc deprecate acme/code-review@^1 -m "Update to 2.x"',
    'svc deprecate code-review@1.2.0 -m "Update to 2.x" --dry-run',
    "svc deprecate code-review@1.2.0 --undo",
  ],
  async run(context, args) {
    if (args.message === undefined && !args.undo)
      throw invalidArgument("--message", 'Say what to use instead: -m "Use acme/review". Or use --undo.');
    const { ref, range } = parsePinnedRef(args.skill, "<skill>");
    const deprecated = args.message ?? null;

    const { client } = await openSession(context);
    const { skill } = await (range === unpinned ? client.find(ref) : client.resolve(ref, range));
    const versions = range === unpinned ? [] : await listVersions(client, skill.publicId, range);
    const dryRun = args["dry-run"] ? (true as const) : undefined;
    const changed: { reach?: SkillReachPayload }[] = [];
    if (range === unpinned) changed.push(await client.update(skill.publicId, { deprecated, dryRun }));
    for (const version of versions)
      changed.push(await client.markVersion(skill.publicId, version, { deprecated, dryRun }));
    const of = versions.length === 0 ? "" : ` ${versions.join(", ")}`;
    const name = `${plainLine(skill.name)} (${skill.tenantSlug}/${skill.slug})${of}`;
    if (dryRun) {
      const reaches = changed.flatMap(({ reach }) => readReach(reach) ?? []);
      const first = `Would ${deprecated === null ? "remove the deprecation of" : "deprecate"} ${name}.`;
      return {
        data: { dryRun, skill: presentNamed(skill), versions, deprecated, reach: reaches },
        text: [first, ...dryRunLines(reaches)].join("\n"),
      };
    }
    const done = deprecated === null ? "is no longer deprecated" : "is deprecated";
    return {
      data: { skill: presentNamed(skill), versions, deprecated },
      text: `${name} ${done}.`,
    };
  },
});

/** The semver of each version in a range, newest first. */
async function listVersions(client: Client, publicId: string, spec: string): Promise<string[]> {
  const { items } = await collectPages((cursor) =>
    client.versions(publicId, { spec, prerelease: true, limit: 100, cursor }),
  );
  return items.map(({ semver }) => semver);
}
