import semver from "semver";
import type { PushInput } from "../api/client.ts";
import { defineCommand } from "../command.ts";
import { invalidArgument } from "../errors.ts";
import { readSource, stageContent } from "../pack/source.ts";
import { parseUnpinnedRef } from "../pins.ts";
import { openSession } from "../state/session.ts";
import { presentVersion } from "../present.ts";

/** One prerelease identifier that is not a number, as the service requires. */
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
      description: "Exactly this version: new, and above the highest release",
    },
    patch: { value: "none", description: "Raise the patch component (default)" },
    minor: { value: "none", description: "Raise the minor component" },
    major: { value: "none", description: "Raise the major component" },
    prerelease: {
      value: "optional",
      hint: "id",
      accepts: prereleaseId,
      description: "Create or continue a prerelease (first id: beta); may be combined with the bump flags",
    },
    "if-changed": {
      value: "none",
      description:
        "Create no version if the content equals the current version, or the prerelease that it continues",
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
    "svc push ./code-review -s acme/code-review --if-changed",
  ],
  async run(context, args) {
    if (args.skill === undefined)
      throw invalidArgument("--skill", "--skill is required: which skill gets the version?");
    const ref = parseUnpinnedRef(args.skill, "--skill", "--skill takes no pin: use --version.");
    if (args.version !== undefined) checkSemver(args.version);
    if (typeof args.prerelease === "string" && !prereleaseId.test(args.prerelease))
      throw invalidArgument(
        "--prerelease",
        `"${args.prerelease}" is not a valid prerelease id. Use letters, digits and hyphens.`,
      );
    const bump = (["patch", "minor", "major"] as const).find((name) => args[name]);

    const source = await readSource(context, args.path);
    const { client } = await openSession(context);
    const { skill } = await client.resolve(ref);
    const { publicId, slug, tenantSlug, name } = skill;
    const input: PushInput = {
      ...(await stageContent(context, client, source)),
      ...(args.message === undefined ? {} : { message: args.message }),
      ...(args.version === undefined ? {} : { semver: args.version }),
      ...(bump === undefined ? {} : { bump }),
      ...(args.prerelease === undefined ? {} : { prerelease: args.prerelease }),
      ...(args["if-changed"] ? { ifChanged: true } : {}),
    };
    const { unchanged, warnings, ...version } = await client.push(publicId, input);
    for (const warning of warnings ?? []) context.output.warn(warning);
    return {
      data: {
        skillRef: args.skill,
        skill: { publicId, slug, tenantSlug, name },
        version: presentVersion(version),
        unchanged,
        warnings: warnings ?? [],
      },
      text: unchanged
        ? `${name} (${tenantSlug}/${slug}) is unchanged at ${version.semver}: no version was created.`
        : `Pushed ${context.output.paint("bold", name)} (${tenantSlug}/${slug}) ${version.semver}`,
    };
  },
});

function checkSemver(text: string): void {
  if (text.includes("+"))
    throw invalidArgument("--version", `"${text}": build metadata is not supported; leave out the "+…".`);
  if (semver.valid(text) !== text)
    throw invalidArgument("--version", `"${text}" is not a valid version. Use a semver such as 1.4.0.`);
}
