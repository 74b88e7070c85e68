import semver from "semver";
import type { PushInput } from "../api/client.ts";
import { defineCommand } from "../command.ts";
import { invalidArgument } from "../errors.ts";
import { readSource, stageContent } from "../pack/source.ts";
import { parsePinnedRef } from "../pins.ts";
import { openSession } from "../state/session.ts";
import { presentVersion } from "./present.ts";

/** One identifier, not a number: what the service takes. */
const prereleaseId = /^(?=.{1,32}$)[0-9A-Za-z-]*[A-Za-z-][0-9A-Za-z-]*$/;

export const push = defineCommand({
  name: "push",
  summary: "Add a version to an existing skill, without questions",
  positionals: {
    path: {
      required: true,
      description: "A file, or a folder with a SKILL.md at its root",
      completes: "path",
    },
  },
  flags: {
    skill: {
      short: "s",
      value: "required",
      hint: "ref",
      description: "The skill (required): slug, org/slug or id",
    },
    version: {
      value: "required",
      hint: "semver",
      description: "Exactly this version; must exceed the highest",
    },
    patch: { value: "none", description: "Raise the patch component (default)" },
    minor: { value: "none", description: "Raise the minor component" },
    major: { value: "none", description: "Raise the major component" },
    prerelease: {
      value: "optional",
      hint: "id",
      accepts: prereleaseId,
      description: "Make a prerelease (default id beta); goes with the bump flags",
    },
    message: { short: "m", value: "required", hint: "text", description: "Message of the version" },
  },
  exclusive: [
    ["version", "patch", "minor", "major"],
    ["version", "prerelease"],
  ],
  examples: [
    "svc push ./code-review --skill acme/code-review --minor -m 'Checks tests too'",
    "svc push review.md -s code-review --version 2.0.0",
    "svc push ./code-review -s code-review --prerelease rc -o json",
  ],
  async run(context, args) {
    if (args.skill === undefined)
      throw invalidArgument("--skill", "--skill is required: which skill gets the version?");
    const { ref, range } = parsePinnedRef(args.skill);
    if (range !== "latest") throw invalidArgument("--skill", "--skill takes no pin: use --version.");
    if (args.version !== undefined) checkSemver(args.version);
    if (typeof args.prerelease === "string" && !prereleaseId.test(args.prerelease))
      throw invalidArgument(
        "--prerelease",
        `"${args.prerelease}" is no prerelease id: use letters, digits, hyphens.`,
      );
    const bump = (["patch", "minor", "major"] as const).find((name) => args[name]);

    const source = await readSource(context, args.path);
    const { client } = await openSession(context);
    const { skill } = await client.resolve(ref);
    const input: PushInput = {
      ...(await stageContent(context, client, source)),
      ...(args.message === undefined ? {} : { message: args.message }),
      ...(args.version === undefined ? {} : { semver: args.version }),
      ...(bump === undefined ? {} : { bump }),
      ...(args.prerelease === undefined ? {} : { prerelease: args.prerelease }),
    };
    const { unchanged, warnings, ...version } = await client.push(skill.publicId, input);
    for (const warning of warnings ?? []) context.output.warn(warning);
    return {
      data: { skillRef: args.skill, version: presentVersion(version), warnings: warnings ?? [] },
      text: unchanged
        ? `${skill.name} is unchanged at ${version.semver}.`
        : `Pushed ${context.output.paint("bold", skill.name)} ${version.semver}`,
    };
  },
});

function checkSemver(text: string): void {
  if (text.includes("+"))
    throw invalidArgument("--version", `"${text}": build metadata is not supported; leave out the "+…".`);
  if (semver.valid(text) !== text)
    throw invalidArgument("--version", `"${text}" is no version: use MAJOR.MINOR.PATCH, as 1.4.0.`);
}
