import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import type { ResolveResult } from "../../../contract/payloads/skills/skills.ts";
import { unpinned } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { type ResolvedPin, resolvePins, throwIfAllFailed } from "../../install/pins/resolve-pins.ts";
import { inScopes } from "../../install/records/scopes.ts";
import { isOtherVersion } from "../../install/update-skill.ts";
import { type Session, openSession } from "../../state/session.ts";
import { renderTable } from "../../terminal/table.ts";

const resolveConcurrency = 6;

export const outdated = defineCommand({
  positionals: {},
  flags: { all: { value: "none", description: "Skills whose pin excludes a newer version, too" } },
  examples: ["svc outdated", "svc outdated --all", "svc outdated -o json"],
  async run(context, args) {
    const session = await openSession(context);
    const installed = Object.entries(session.config.profiles[session.profile]?.installed ?? {});
    const candidates = await resolvePins(session, installed.flatMap(inScopes), undefined);
    throwIfAllFailed(candidates, false);
    const compared = await mapLimit(candidates, resolveConcurrency, (candidate) =>
      compare(session, candidate),
    );
    const failed = compared.filter((one): one is Failed => "error" in one);
    const known = compared.filter((one): one is Row => !("error" in one));
    const updatable = known.filter((one) => one.outdated);
    const beyond = known.filter((one) => !one.outdated && one.latest.version !== one.wanted.version);
    const skills = args.all ? [...updatable, ...beyond] : updatable;
    for (const { installName, error } of failed) context.output.warn(`${installName}: ${error}`);
    if (!args.all && beyond.length > 0)
      context.output.note(
        `The pin excludes the latest version of ${beyond.length} more. List them with svc outdated --all.`,
      );
    return { data: { skills, failed }, text: table(context, skills, installed.length) };
  },
});

interface Failed {
  installName: string;
  error: string;
}

interface Row {
  publicId: string;
  slug: string;
  tenantSlug: string;
  installName: string;
  pin: string;
  /** Absent for the user level. */
  projectDir?: string;
  installed: { version: number; semver: string };
  wanted: { version: number; semver: string };
  latest: { version: number; semver: string };
  outdated: boolean;
}

async function compare({ client }: Session, candidate: ResolvedPin): Promise<Failed | Row> {
  const { installName, skill, scope, range, resolved } = candidate;
  if (resolved instanceof CliError) return { installName, error: resolved.message };
  try {
    const latest = range === unpinned ? resolved : await client.resolve(skill.publicId, unpinned);
    return {
      publicId: skill.publicId,
      slug: skill.slug,
      tenantSlug: skill.tenantSlug,
      installName,
      pin: range,
      projectDir: scope.projectDir,
      installed: { version: scope.version, semver: scope.semver },
      wanted: numbersOf(resolved),
      latest: numbersOf(latest),
      outdated: isOtherVersion(scope, resolved),
    };
  } catch (error) {
    if (error instanceof CliError) return { installName, error: error.message };
    throw error;
  }
}

function numbersOf({ version: { version, semver } }: ResolveResult) {
  return { version, semver };
}

function table({ output }: Context, skills: readonly Row[], installedCount: number): string {
  if (installedCount === 0) return "Nothing is installed. Try svc install.";
  if (skills.length === 0) return "All installed skills are up to date with their pins.";
  return renderTable(
    ["NAME", "INSTALLED", "WANTED", "LATEST", "PIN", "SKILL", "PROJECT"],
    skills.map(({ installName, installed, wanted, latest, pin, tenantSlug, slug, projectDir }) => [
      installName,
      installed.semver,
      wanted.semver,
      latest.semver,
      pin,
      `${tenantSlug}/${slug}`,
      projectDir ?? "",
    ]),
    { columns: output.columns, paintHead: (text) => output.paint("bold", text) },
  );
}
