import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import type { ResolveResult } from "../../../contract/payloads/skills/skills.ts";
import type { Target } from "../../../contract/vocabulary.ts";
import { parseVersionSpec, unpinned } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, invalidArgument, messageOf } from "../../errors.ts";
import { isThere } from "../../install/locations/digest.ts";
import { installRequired } from "../../install/pins/required-skills.ts";
import {
  type ResolvedPin,
  refuseUpdates,
  resolvePins,
  throwIfAllFailed,
} from "../../install/pins/resolve-pins.ts";
import { findInstalled } from "../../install/records/find.ts";
import { removalOf, removalText } from "../../install/removal.ts";
import { reportInstalls } from "../../install/report.ts";
import { type InTurn, type UpdateReport, updateSkill } from "../../install/update-skill.ts";
import { dryRunFlag } from "../../present.ts";
import {
  changeReach,
  divideScopes,
  exclusiveReach,
  reachFlags,
  refuseUnreached,
} from "../../project/change-reach.ts";
import { followPull } from "../../project/follow.ts";
import { type PulledScope, presentPull } from "../../project/present-pull.ts";
import { type Session, openSession } from "../../state/session.ts";
import { checkWritableState } from "../../state/state.ts";
import { parseTargets, targetFlag } from "../../targets/choose.ts";

/** One run of `pull`, with its report. */
interface Run {
  context: Context;
  session: Session;
  force: boolean;
  /** One skill was named, with installs in one scope: its failure is that of the command. */
  isSingle: boolean;
  dryRun: boolean;
  renames: boolean;
  /** The requested pin. */
  repin: string | undefined;
  report: UpdateReport;
}

/** Maximum number of concurrent downloads. */
const pullConcurrency = 4;

export const pull = defineCommand({
  positionals: {
    slug: { description: "One installed skill; without it, all of them", completes: "installed" },
  },
  flags: {
    version: { value: "required", hint: "spec", description: "Pin to this version or range, and update" },
    latest: { value: "none", description: "Remove the pin, and update" },
    frozen: { value: "none", description: "Fail instead of changing anything" },
    force: { value: "none", description: "Overwrite copies that were edited" },
    save: { value: "none", description: "Write the current names of renamed skills into svc.json" },
    team: { value: "none", description: "First install what your organizations require of you" },
    target: { ...targetFlag, description: "With --team: tools to install into (default: those found here)" },
    "dry-run": dryRunFlag,
    ...reachFlags,
  },
  exclusive: [["version", "latest"], ["team", "frozen"], ["team", "project"], ...exclusiveReach],
  examples: [
    "svc pull",
    "svc pull code-review --version ^2",
    "svc pull -p",
    "svc pull --team",
    "svc pull --frozen -o json",
  ],
  async run(context, args) {
    const repin = requestedPin(args);
    const targets = requestedTargets(args);

    await checkWritableState(context);
    const session = await openSession(context);
    const required = args.team
      ? await installRequired(context, session, { targets, dryRun: args["dry-run"] })
      : undefined;
    const profile = session.config.profiles[session.profile];
    const chosen =
      args.slug === undefined
        ? Object.entries(profile?.installed ?? {})
        : [findInstalled(profile, args.slug)];
    const reach = await changeReach(context, profile, args);
    const divided = await divideScopes(chosen, reach);
    if (args.slug !== undefined) refuseUnreached(args.slug, divided, reach);
    const candidates = await resolvePins(session, divided.chosen, repin);
    throwIfAllFailed(candidates, args.slug !== undefined);
    if (args.frozen) refuseUpdates(candidates);

    const run: Run = {
      context,
      session,
      force: args.force,
      dryRun: args["dry-run"],
      isSingle: args.slug !== undefined && candidates.length === 1,
      renames: args.save,
      repin,
      report: { machine: undefined, locations: [] },
    };
    const pulled = await pullAll(run, candidates);
    if (!run.dryRun) await reportInstalls(session.client, run.report.machine, run.report.locations);
    return presentPull(context, pulled, {
      kept: divided.kept,
      dryRun: run.dryRun,
      isEmpty: chosen.length === 0,
      repin,
      required,
    });
  },
});

function requestedTargets(args: { slug: string | undefined; team: boolean; target: string[] }): Target[] {
  if (args.team && args.slug !== undefined)
    throw invalidArgument("--team", "--team installs all required skills: leave out the name of a skill.");
  if (!args.team && args.target.length > 0)
    throw invalidArgument("--target", "--target goes with --team: an update stays in its tools.");
  return parseTargets(args.target);
}

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

/**
 * Results in the order of the candidates. Changes are applied in that order, so that shared files are deterministic.
 */
async function pullAll(run: Run, candidates: readonly ResolvedPin[]): Promise<PulledScope[]> {
  const { length } = candidates;
  let before: Promise<unknown> = Promise.resolve();
  return mapLimit([...candidates.entries()], pullConcurrency, ([i, candidate]) => {
    const turn = before;
    const work = () => pullOne(run, candidate, (change) => turn.then(change));
    const label = `Pulling ${candidate.skill.slug} (${i + 1} of ${length})`;
    // For a single skill, the progress of its download is shown instead.
    const pulled = length === 1 ? work() : run.context.output.waiting(label, work);
    before = Promise.allSettled([turn, pulled]);
    return pulled;
  });
}

async function pullOne(run: Run, candidate: ResolvedPin, inTurn: InTurn): Promise<PulledScope> {
  const { skill, scope, resolved } = candidate;
  const { publicId, slug, tenantSlug } = skill;
  const { projectDir } = scope;
  const { remove: reason } = candidate;
  const remove = reason && removalOf(candidate, reason);
  const removal = reason && remove ? [`${removalText(candidate, reason)}: ${remove.command}`] : [];
  const base = {
    publicId,
    slug,
    tenantSlug,
    ...(projectDir === undefined ? { scope: "global" as const } : { scope: "project" as const, projectDir }),
    fromVersion: scope.version,
    fromSemver: scope.semver,
  };
  if (resolved instanceof CliError)
    return { ...base, remove, outcome: "failed", warnings: [...removal, resolved.message] };
  const { context, session, force, dryRun, renames, repin, report } = run;
  try {
    const accepted = { ...candidate, resolved };
    const updated = await updateSkill(context, session, accepted, { force, dryRun, inTurn, report });
    if (updated.outcome !== "failed" && !dryRun) {
      const isWritten = updated.outcome !== "upToDate";
      const how = { repin, isWritten, renames };
      const follow = () => followPull(context, session.profile, accepted, resolved, how);
      updated.warnings.push(...(await inTurn(follow)));
    }
    if (updated.outcome !== "failed")
      updated.warnings.push(...(await missingServers(run, candidate, resolved)));
    // Another version takes its place.
    const isReplaced = updated.outcome === "updated" && !dryRun;
    if (reason && isReplaced) updated.warnings.unshift(`${removalText(candidate, reason)}: it was replaced`);
    else updated.warnings.unshift(...removal);
    return { ...base, ...updated, remove: isReplaced ? undefined : remove };
  } catch (error) {
    if (run.isSingle && !(error instanceof CliError && error.code === "E_ALREADY_EXISTS")) throw error;
    return { ...base, remove, outcome: "failed", warnings: [...removal, messageOf(error)] };
  }
}

/** The commands that install required MCP servers. */
async function missingServers(
  { context, session }: Run,
  { skill, scope }: ResolvedPin,
  resolved: ResolveResult,
): Promise<string[]> {
  const { requiredMcpServers } = resolved.skill;
  const { projectDir, records } = scope;
  if (!Array.isArray(requiredMcpServers) || requiredMcpServers.length === 0) return [];
  if (projectDir !== undefined && !(await isThere(projectDir))) return [];
  const { checkRequired, describeMissing } = await import("../../mcp/required.ts");
  const profile = session.config.profiles[session.profile];
  const { missing } = checkRequired(profile, requiredMcpServers, records);
  return missing.map((one) => describeMissing(context, skill.slug, one));
}
