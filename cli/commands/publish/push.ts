import semver from "semver";
import { limits } from "../../../contract/limits.ts";
import type { VersionPlan } from "../../../contract/payloads/skills/plans.ts";
import type { SkillPayload } from "../../../contract/payloads/skills/skills.ts";
import type { PushInput } from "../../api/inputs.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { invalidArgument } from "../../errors.ts";
import { digestsOf } from "../../pack/digests.ts";
import { allowSecretsFlag } from "../../pack/secrets.ts";
import { type SkillSource, readSource } from "../../pack/source.ts";
import { stageContent } from "../../pack/stage-content.ts";
import { dryRunFlag, presentVersion } from "../../present.ts";
import { findContentLocation } from "../../publish/content-location.ts";
import { noticeOf } from "../../publish/present.ts";
import { dryRunLines, readReach } from "../../reach.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

/** One prerelease identifier that is not a number, as the service requires. */
const prereleaseId = /^(?=.{1,32}$)[0-9A-Za-z-]*[A-Za-z-][0-9A-Za-z-]*$/;

export const push = defineCommand({
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
      acceptsText: "Use letters, digits and hyphens, at most 32, and not digits alone.",
      description: "Create or continue a prerelease (first id: beta); may be combined with the bump flags",
    },
    "if-changed": {
      value: "none",
      description:
        "Create no version if the content equals the current version, or the prerelease that it continues",
    },
    message: {
      short: "m",
      value: "required",
      hint: "text",
      max: limits.versionMessage,
      description: "Message of the version",
    },
    "allow-secret-files": allowSecretsFlag,
    "dry-run": dryRunFlag,
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
    const bump = (["patch", "minor", "major"] as const).find((name) => args[name]);

    const source = await readSource(context, args.path, {
      allowSecrets: args["allow-secret-files"],
      isNamed: true,
    });
    const { client } = await openSession(context);
    const { skill } = await client.find(ref);
    const { publicId, slug, tenantSlug, name } = skill;
    const request = {
      semver: args.version,
      bump,
      prerelease: args.prerelease,
    };
    if (args["dry-run"]) {
      const plan = await client.planPush(publicId, { ...request, ...(await digestsOf(source)) });
      return presentPlan(context, { skillRef: args.skill, skill, source, plan });
    }
    const input: PushInput = {
      ...(await stageContent(context, client, source)),
      ...request,
      contentLocation: await findContentLocation(context, args.path),
      message: args.message,
      ifChanged: args["if-changed"] ? true : undefined,
    };
    const { unchanged, warnings: remarks, ...version } = await client.push(publicId, input);
    const warnings = Array.from(new Set([...source.warnings, ...(remarks ?? [])]));
    for (const warning of warnings) context.output.warn(warning);
    return {
      data: {
        skillRef: args.skill,
        skill: { publicId, slug, tenantSlug, name },
        version: presentVersion(version),
        unchanged,
        warnings,
      },
      text: unchanged
        ? `${name} (${tenantSlug}/${slug}) is unchanged at ${version.semver}: no version was created.`
        : `Pushed ${context.output.paint("bold", name)} (${tenantSlug}/${slug}) ${version.semver}`,
    };
  },
});

function presentPlan(
  context: Context,
  given: { skillRef: string; skill: SkillPayload; source: SkillSource; plan: VersionPlan },
): CommandResult {
  const { skillRef, skill, source, plan } = given;
  const { publicId, slug, tenantSlug, name } = skill;
  const { semver: next, unchanged } = plan;
  const warnings = [...source.warnings, ...noticeOf(plan)];
  for (const warning of warnings) context.output.warn(warning);
  const reach = readReach(plan.reach);
  const same = unchanged ? " (the content is unchanged)" : "";
  return {
    data: {
      dryRun: true,
      skillRef,
      skill: { publicId, slug, tenantSlug, name },
      version: {
        semver: next,
        format: source.format,
        fileCount: source.format === "package" ? source.files.length : undefined,
      },
      unchanged,
      warnings,
      reach,
    },
    text: [
      `Would push ${plainLine(name)} (${tenantSlug}/${slug}) ${next}${same}.`,
      ...dryRunLines([reach], "Nothing was sent."),
    ].join("\n"),
  };
}

function checkSemver(text: string): void {
  if (text.includes("+"))
    throw invalidArgument("--version", `"${text}": build metadata is not supported; leave out the "+…".`);
  if (semver.valid(text) !== text)
    throw invalidArgument("--version", `"${text}" is not a valid version. Use a semver such as 1.4.0.`);
}
