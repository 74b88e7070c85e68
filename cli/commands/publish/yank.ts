import semver from "semver";
import { parsePinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { dryRunFlag, presentNamed } from "../../present.ts";
import { dryRunLines, readReach } from "../../reach.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const yank = defineCommand({
  positionals: {
    skill: { required: true, description: "The skill with an exact version: code-review@1.2.0" },
  },
  flags: {
    reason: {
      value: "required",
      hint: "text",
      description: "Why, for those who have the version (required)",
    },
    force: { value: "none", description: "Delete the channels that point to the version" },
    "dry-run": dryRunFlag,
    undo: { value: "none", description: "Undo the yank" },
  },
  exclusive: [
    ["reason", "undo"],
    ["force", "undo"],
  ],
  examples: [
    'svc yank code-review@1.2.0 --reason "It deletes files outside the project"',
    "svc yank code-review@1.2.0 --reason 'It is wrong' --dry-run",
    "svc yank acme/code-review@1.2.0 --undo",
  ],
  async run(context, args) {
    const { ref, range: version } = parsePinnedRef(args.skill, "<skill>");
    if (semver.valid(version) === null)
      throw invalidArgument("<skill>", "Name an exact version: svc yank <skill>@<version>.");
    if (args.reason === undefined && !args.undo)
      throw invalidArgument("--reason", 'Say why: --reason "It deletes files". Or use --undo.');

    const { client } = await openSession(context);
    const { skill, version: found } = await client.resolve(ref, version);
    const yanked = !args.undo;
    const force = args.force ? (true as const) : undefined;
    const change = { yanked, reason: args.reason };
    const marked = await client.markVersion(skill.publicId, version, {
      ...change,
      force,
      dryRun: args["dry-run"] ? true : undefined,
    });
    const deletedChannels = force && Array.isArray(found.channels) ? found.channels.map(String) : [];
    const name = `${plainLine(skill.name)} (${skill.tenantSlug}/${skill.slug}) ${marked.semver}`;
    const done = {
      skill: presentNamed(skill),
      version: { version: marked.version, semver: marked.semver },
      ...change,
      deletedChannels,
    };
    const { currentVersion, currentSemver, withheld } = await client.skill(skill.publicId);
    const current = withheld ? null : { version: currentVersion, semver: currentSemver };
    if (args["dry-run"]) {
      const reach = readReach(marked.reach);
      const first = `Would ${yanked ? "yank" : "undo the yank"}: ${name}.`;
      return {
        data: { dryRun: true, ...done, current, reach },
        text: [first, ...dryRunLines([reach])].join("\n"),
      };
    }
    const next = current ? `Installs get ${current.semver}.` : "No version of it can be installed now.";
    const deleted = deletedChannels.map((channel) => `Its channel ${plainLine(channel)} is deleted.`);
    return {
      data: { ...done, current },
      text: [`${name} is ${yanked ? "yanked" : "no longer yanked"}.`, ...deleted, next].join(" "),
    };
  },
});
