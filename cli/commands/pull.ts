import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { ResolveResult } from "../../contract/payloads/skills.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { CliError, invalidArgument, messageOf } from "../errors.ts";
import { applyVersion, reportedLocations } from "../install/apply.ts";
import { fetchVersion } from "../install/fetch.ts";
import { isThere } from "../install/digest.ts";
import { findInstalled } from "../install/find.ts";
import { type AcceptedVersion, acceptInstalled, qualifiedName } from "../install/publisher.ts";
import { type RecordState, inspectRecord } from "../install/record.ts";
import { type ReportedLocation, reportingMachine, reportInstalls } from "../install/report.ts";
import { parseVersionSpec, unpinned } from "../pins.ts";
import { followPull } from "../project/follow.ts";
import { cacheFolder, inspectCache } from "../state/cache.ts";
import type { InstallationRecord, InstalledSkill } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { type Session, openSession } from "../state/session.ts";
import { changeConfig, withTemporaryFolder } from "../state/state.ts";
import { outcomeWord } from "./present.ts";

type Outcome = "updated" | "upToDate" | "repaired" | "partial" | "failed";

interface PulledSkill {
  publicId: string;
  slug: string;
  tenantSlug: string;
  outcome: Outcome;
  fromVersion?: number;
  toVersion?: number;
  toSemver?: string;
  warnings: string[];
}

/** An installed skill, and the version that its pin resolves to. */
interface Candidate {
  installName: string;
  skill: InstalledSkill;
  range: string;
  resolved: AcceptedVersion | CliError;
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
  machine: string | undefined;
  locations: ReportedLocation[];
}

/** Maximum number of pins that are resolved concurrently. */
const resolvedAtOnce = 6;
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
    const repin =
      args.version !== undefined
        ? parseVersionSpec(args.version, "--version")
        : args.latest
          ? unpinned
          : undefined;
    const flag = args.latest ? "--latest" : "--version";
    if (repin !== undefined && args.slug === undefined)
      throw invalidArgument(flag, `${flag} needs the skill to pin: svc pull <slug> ${flag}.`);

    const session = await openSession(context);
    const profile = session.config.profiles[session.profile];
    const chosen =
      args.slug === undefined
        ? Object.entries(profile?.installed ?? {})
        : [findInstalled(profile, args.slug)];
    const candidates = await resolveAll(session, chosen, repin);
    throwIfHopeless(candidates, args.slug !== undefined);
    if (args.frozen) refuseMoves(candidates);

    const run: Run = {
      context,
      session,
      force: args.force,
      named: args.slug !== undefined,
      repin,
      machine: undefined,
      locations: [],
    };
    const skills = await pullAll(run, candidates);
    await reportInstalls(session.client, run.machine, run.locations);
    const count = (...outcomes: Outcome[]) =>
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

async function resolveAll(
  session: Session,
  chosen: readonly [string, InstalledSkill][],
  repin: string | undefined,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (let i = 0; i < chosen.length; i += resolvedAtOnce)
    candidates.push(
      ...(await Promise.all(
        chosen.slice(i, i + resolvedAtOnce).map(async ([installName, skill]): Promise<Candidate> => {
          const range = repin ?? skill.range;
          try {
            const found = await session.client.resolve(skill.publicId, range);
            return { installName, skill, range, resolved: acceptInstalled(skill, found) };
          } catch (error) {
            if (!(error instanceof CliError)) throw error;
            return { installName, skill, range, resolved: error };
          }
        }),
      )),
    );
  return candidates;
}

/** If all skills fail for the same reason, or the named skill fails, the command fails. */
function throwIfHopeless(candidates: readonly Candidate[], named: boolean): void {
  const errors = candidates
    .map(({ resolved }) => resolved)
    .filter((resolved) => resolved instanceof CliError);
  if (errors.length === 0 || errors.length < candidates.length) return;
  const [first] = errors;
  if (named || ["E_NETWORK", "E_NOT_AUTHENTICATED"].includes(first!.code)) throw first!;
}

function refuseMoves(candidates: readonly Candidate[]): void {
  const moves = candidates.flatMap(({ skill, resolved }) =>
    resolved instanceof CliError || !wouldMove(skill, resolved)
      ? []
      : [{ skill: skill.slug, from: skill.semver, to: resolved.version.semver }],
  );
  const [first] = moves;
  if (first === undefined) return;
  throw new CliError("E_VERSION_CHANGED", `${first.skill} would move from ${first.from} to ${first.to}.`, {
    kind: "installedSkill",
    ...first,
    changes: moves,
  });
}

function wouldMove(skill: InstalledSkill, resolved: ResolveResult): boolean {
  return resolved.version.version !== skill.version || resolved.version.hash !== skill.hash;
}

/** Applies changes one after another, in the order of the skills, so that shared files are deterministic. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Results in the order of the candidates. */
async function pullAll(run: Run, candidates: readonly Candidate[]): Promise<PulledSkill[]> {
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

async function pullOne(run: Run, candidate: Candidate, inTurn: InTurn): Promise<PulledSkill> {
  const { installName, skill, range, resolved } = candidate;
  const { publicId, slug, tenantSlug } = skill;
  const base = { publicId, slug, tenantSlug, fromVersion: skill.version };
  if (resolved instanceof CliError) return { ...base, outcome: "failed", warnings: [resolved.message] };
  try {
    const brought = await bringTo(run, { installName, skill, range, resolved }, inTurn);
    if (brought.outcome !== "failed") {
      const { context, session, repin } = run;
      const follow = () => followPull(context, session.profile, installName, resolved, repin);
      brought.warnings.push(...(await inTurn(follow)));
    }
    return { ...base, ...brought };
  } catch (error) {
    if (run.named && !(error instanceof CliError && error.code === "E_ALREADY_EXISTS")) throw error;
    return { ...base, outcome: "failed", warnings: [messageOf(error)] };
  }
}

type Pulled = Omit<PulledSkill, "publicId" | "slug" | "tenantSlug" | "fromVersion">;

async function bringTo(
  run: Run,
  candidate: Candidate & { resolved: AcceptedVersion },
  inTurn: InTurn,
): Promise<Pulled> {
  const { context, session, force } = run;
  const { installName, skill, range, resolved } = candidate;
  const { version } = resolved;
  const moved = wouldMove(skill, resolved);
  const to = { toVersion: version.version, toSemver: version.semver };
  const cache = cacheFolder(statePaths(context.home), installName);
  const { meta, state } = await inspectCache(cache);
  const locations = await Promise.all(
    skill.installs.map(async (record) => ({ record, state: await stateOf(record, installName, cache) })),
  );
  const remarks = [
    ...(state === "edited" ? [`${installName} was edited through its link in ${cache}`] : []),
    ...locations
      .filter((location) => location.state === "edited")
      .map(({ record }) => `${record.path} was edited`),
  ].map((text) => `${text}; use --force to overwrite it`);
  const edited = remarks.length > 0;
  for (const location of locations)
    if (location.state === "gone") remarks.push(`${location.record.projectDir!} is no longer there`);
  const damaged =
    state === "missing" ||
    state === "interrupted" ||
    meta?.hash !== skill.hash ||
    locations.some(
      (location) =>
        location.state === "missing" ||
        location.state === "stale" ||
        (location.state === "intact" && location.record.outdated === true),
    );

  if (!moved && !damaged && (!edited || !force)) {
    if (range !== skill.range) await inTurn(() => rememberPin(context, session, installName, range));
    return { outcome: "upToDate", ...to, warnings: remarks };
  }
  if (state === "edited" && !force)
    return { outcome: moved ? "failed" : "upToDate", ...to, warnings: remarks };

  const applied = await withTemporaryFolder(context, async (folder) => {
    const fetched = await fetchVersion(session.client, context.output, resolved, folder);
    const result = await inTurn(() =>
      changeConfig(context, (change) => {
        run.machine = reportingMachine(change.config, session.client);
        return applyVersion(context, change, fetched, [], { profile: session.profile, range, force });
      }),
    );
    run.locations.push(...reportedLocations(result, fetched));
    return result;
  });
  const by = (...outcomes: string[]) => applied.locations.filter(({ outcome }) => outcomes.includes(outcome));
  const left = by("edited", "failed");
  const warnings = [
    ...applied.warnings,
    ...by("edited", "failed", "gone").map((location) => location.reason ?? location.outcome),
  ];
  if (left.length > 0 && left.length === applied.locations.length && moved)
    return { outcome: "failed", ...to, warnings };
  if (left.length > 0 && (moved || by("failed").length > 0)) return { outcome: "partial", ...to, warnings };
  if (moved) return { outcome: "updated", ...to, warnings };
  return {
    outcome: by("written").length > 0 || state !== "intact" ? "repaired" : "upToDate",
    ...to,
    warnings,
  };
}

/** A project on an unmounted disk needs no repair. */
async function stateOf(
  record: InstallationRecord,
  installName: string,
  cache: string,
): Promise<RecordState | "gone"> {
  const { projectDir } = record;
  if (projectDir !== undefined && !(await isThere(projectDir))) return "gone";
  return inspectRecord(record, installName, cache);
}

async function rememberPin(
  context: Context,
  session: Session,
  installName: string,
  range: string,
): Promise<void> {
  await changeConfig(context, async ({ config, save }) => {
    const skill = config.profiles[session.profile]?.installed[installName];
    if (skill === undefined) return;
    skill.range = range;
    await save();
  });
}

function line(context: Context, skill: PulledSkill): string {
  const version = skill.toSemver === undefined ? "" : ` ${skill.toSemver}`;
  return [
    `${outcomeWord(context, skill.outcome)}  ${qualifiedName(skill)}${version}`,
    ...skill.warnings.map((warning) => `  ${warning}`),
  ].join("\n");
}
