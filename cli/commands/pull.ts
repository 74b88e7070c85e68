import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { CliError, invalidArgument, messageOf } from "../errors.ts";
import { findInstalled } from "../install/find.ts";
import { qualifiedName } from "../install/publisher.ts";
import { reportInstalls } from "../install/report.ts";
import { type ResolvedPin, refuseUpdates, resolvePins, throwIfAllFailed } from "../install/resolve-pins.ts";
import { type InTurn, type UpdateOutcome, type UpdateReport, updateSkill } from "../install/update-skill.ts";
import { parseVersionSpec, unpinned } from "../pins.ts";
import { followPull } from "../project/follow.ts";
import { type Session, openSession } from "../state/session.ts";
import { outcomeWord } from "../present.ts";

interface PulledSkill {
  publicId: string;
  slug: string;
  tenantSlug: string;
  outcome: UpdateOutcome;
  fromVersion?: number;
  toVersion?: number;
  toSemver?: string;
  warnings: string[];
}

/** One run of `pull`, with its report. */
interface Run {
  context: Context;
  session: Session;
  force: boolean;
  /** A single skill was named: its failure is that of the command. */
  named: boolean;
  /** The requested pin. */
  repin: string | undefined;
  report: UpdateReport;
}

/** Maximum number of concurrent downloads. */
const pulledAtOnce = 4;

export const pull = defineCommand({
  name: "pull",
  summary: "Update installed skills to the version that their pin resolves to",
  positionals: {
    slug: { description: "One installed skill; without it, all of them", completes: "installed" },
  },
  flags: {
    version: { value: "required", hint: "spec", description: "Pin to this version or range, and update" },
    latest: { value: "none", description: "Remove the pin, and update" },
    frozen: { value: "none", description: "Fail instead of changing anything" },
    force: { value: "none", description: "Overwrite copies that were edited" },
  },
  exclusive: [["version", "latest"]],
  examples: ["svc pull", "svc pull code-review --version ^2", "svc pull --frozen -o json"],
  async run(context, args) {
    const repin = requestedPin(args);

    const session = await openSession(context);
    const profile = session.config.profiles[session.profile];
    const chosen =
      args.slug === undefined
        ? Object.entries(profile?.installed ?? {})
        : [findInstalled(profile, args.slug)];
    const candidates = await resolvePins(session, chosen, repin);
    throwIfAllFailed(candidates, args.slug !== undefined);
    if (args.frozen) refuseUpdates(candidates);

    const run: Run = {
      context,
      session,
      force: args.force,
      named: args.slug !== undefined,
      repin,
      report: { machine: undefined, locations: [] },
    };
    const skills = await pullAll(run, candidates);
    await reportInstalls(session.client, run.report.machine, run.report.locations);
    const count = (...outcomes: UpdateOutcome[]) =>
      skills.filter(({ outcome }) => outcomes.includes(outcome)).length;
    const summary = {
      updated: count("updated", "repaired"),
      upToDate: count("upToDate"),
      failed: count("partial", "failed"),
    };
    return {
      data: { skills, summary },
      text:
        skills.length === 0
          ? "Nothing is installed."
          : skills.map((skill) => line(context, skill)).join("\n"),
      partial: summary.failed > 0,
    };
  },
});

function requestedPin(args: {
  slug: string | undefined;
  version: string | undefined;
  latest: boolean;
}): string | undefined {
  const { slug, version, latest } = args;
  const pin = version !== undefined ? parseVersionSpec(version, "--version") : latest ? unpinned : undefined;
  const flag = latest ? "--latest" : "--version";
  if (pin !== undefined && slug === undefined)
    throw invalidArgument(flag, `${flag} needs the skill to pin: svc pull <slug> ${flag}.`);
  return pin;
}

/** Results in the order of the candidates. Changes are applied in that order, so that shared files are deterministic. */
async function pullAll(run: Run, candidates: readonly ResolvedPin[]): Promise<PulledSkill[]> {
  const { length } = candidates;
  let before: Promise<unknown> = Promise.resolve();
  return mapLimit([...candidates.entries()], pulledAtOnce, ([i, candidate]) => {
    const turn = before;
    const work = () => pullOne(run, candidate, (change) => turn.then(change));
    const label = `Pulling ${candidate.skill.slug} (${i + 1} of ${length})`;
    // For a single skill, the progress of its download is shown instead.
    const pulled = length === 1 ? work() : run.context.output.waiting(label, work);
    before = Promise.allSettled([turn, pulled]);
    return pulled;
  });
}

async function pullOne(run: Run, candidate: ResolvedPin, inTurn: InTurn): Promise<PulledSkill> {
  const { installName, skill, range, resolved } = candidate;
  const { publicId, slug, tenantSlug } = skill;
  const base = { publicId, slug, tenantSlug, fromVersion: skill.version };
  if (resolved instanceof CliError) return { ...base, outcome: "failed", warnings: [resolved.message] };
  const { context, session, force, repin, report } = run;
  try {
    const accepted = { installName, skill, range, resolved };
    const updated = await updateSkill(context, session, accepted, { force, inTurn, report });
    if (updated.outcome !== "failed") {
      const follow = () => followPull(context, session.profile, installName, resolved, repin);
      updated.warnings.push(...(await inTurn(follow)));
    }
    return { ...base, ...updated };
  } catch (error) {
    if (run.named && !(error instanceof CliError && error.code === "E_ALREADY_EXISTS")) throw error;
    return { ...base, outcome: "failed", warnings: [messageOf(error)] };
  }
}

function line(context: Context, skill: PulledSkill): string {
  const version = skill.toSemver === undefined ? "" : ` ${skill.toSemver}`;
  return [
    `${outcomeWord(context, skill.outcome)}  ${qualifiedName(skill)}${version}`,
    ...skill.warnings.map((warning) => `  ${warning}`),
  ].join("\n");
}
