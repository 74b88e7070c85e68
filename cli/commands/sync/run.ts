import { limits } from "../../../contract/limits.ts";
import type { SyncRunPayload } from "../../../contract/payloads/sync.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { type SyncCalls, openSyncCalls } from "../../api/calls/sync.ts";
import { type Organization, orgFlag } from "../../api/choose-organization.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { invalidArgument } from "../../errors.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { plainLine } from "../../terminal/table.ts";
import { type SyncEnd, awaitSync, countsText, sumOf } from "./await-sync.ts";
import { conflictLines, presentConflict } from "./conflict.ts";
import { minuteOf } from "./format.ts";
import { presentConnection, presentProblem, presentProposal } from "./present.ts";

const seconds = { default: 600, max: 86_400 };

export const syncRun = defineCommand({
  positionals: {},
  flags: {
    org: orgFlag,
    "no-wait": { value: "none", description: "Return once the sync is requested" },
    timeout: {
      value: "required",
      hint: "seconds",
      description: `Longest time to wait (default ${seconds.default})`,
    },
  },
  exclusive: [["no-wait", "timeout"]],
  examples: ["svc sync run", "svc sync run --org acme --no-wait", "svc sync run --timeout 60 -o json"],
  async run(context, args) {
    const timeoutMs = parseSeconds(args.timeout) * 1000;
    const { client, organization } = await openOrganization(context, args, "Sync which organization?");
    const calls = openSyncCalls(client.options, organization.id);
    if (args["no-wait"]) return requestOnly(organization, calls);

    const [runs, conflicts] = await Promise.all([calls.history({ limit: 1 }), calls.conflicts({ limit: 1 })]);
    const requested = await calls.run();
    const newestRun = runs.items[0]?.id;
    const end = await awaitSync(context, calls, requested, { newestRun, timeoutMs });
    const data = await report(calls, organization, end, conflicts.items[0]?.id);
    return {
      data,
      text: describe(context, data, timeoutMs),
      partial: data.outcome !== "done" || data.conflicts.length > 0,
    };
  },
});

async function requestOnly(organization: Organization, calls: SyncCalls): Promise<CommandResult> {
  const connection = presentConnection(await calls.run());
  return {
    data: {
      organization,
      connection,
      outcome: "requested",
      runs: [],
      summary: sumOf([]),
      conflicts: [],
    },
    text:
      `Requested a sync of ${plainLine(connection.repository)} (${plainLine(connection.branch)}). ` +
      "Follow it with svc sync status.",
  };
}

/** `newestConflict`: id of the newest one before the sync. */
async function report(
  calls: SyncCalls,
  organization: Organization,
  { outcome, state, connection, runs }: SyncEnd,
  newestConflict: string | undefined,
) {
  const { items } = await calls.conflicts({ limit: limits.pageSizeMax });
  const known = items.findIndex(({ id }) => id === newestConflict);
  const conflicts = known === -1 ? items : items.slice(0, known);
  return {
    organization,
    connection: presentConnection(connection),
    outcome,
    runs: runs.map(presentRun),
    summary: sumOf(runs),
    conflicts: conflicts.map((conflict) => presentConflict(conflict, organization)),
    proposal: state.proposal ? presentProposal(state.proposal) : undefined,
  };
}

/** A run, as in JSON output. */
function presentRun(run: SyncRunPayload) {
  const { id, full, outcome, startedAt, endedAt, commit, problem } = run;
  const { imported, created, conflicts, exported, removed, refused } = run;
  return {
    id,
    full,
    outcome,
    startedAt,
    endedAt: endedAt || undefined,
    commit: commit || undefined,
    imported,
    created,
    conflicts,
    exported,
    removed,
    refused,
    refusals: run.refusals.map(({ path, code, message }) => ({ path, code, message })),
    problem: problem ? presentProblem(problem) : undefined,
  };
}

function describe(context: Context, data: Awaited<ReturnType<typeof report>>, timeoutMs: number): string {
  const { paint } = context.output;
  const { connection, outcome, runs, summary, conflicts, proposal } = data;
  const name = `${plainLine(connection.repository)} (${plainLine(connection.branch)})`;
  const counts = countsText(summary);
  const problem = runs.find((run) => run.problem !== undefined)?.problem ?? connection.problem;
  const reason = problem === undefined ? "" : ` ${plainLine(problem.message)}`;
  const retry = connection.retryAt === undefined ? "" : ` It is retried at ${minuteOf(connection.retryAt)}.`;
  const first = {
    done: `${paint("green", "Synced")} ${name}: ${counts === "" ? "both sides were in step" : counts}.`,
    blocked: `${paint("red", "Blocked")} ${name}:${reason}`,
    failed: `${paint("red", "Failed")} ${name}:${reason}${retry}`,
    waiting:
      `${paint("yellow", "Not finished")} ${name}: the sync has not ended after ${timeoutMs / 1000} s, and continues.` +
      `${reason} Follow it with svc sync status.`,
  }[outcome];
  const refusals = runs.flatMap((run) => run.refusals);
  return [
    first,
    ...(outcome !== "done" && counts !== "" ? [`Until then: ${counts}.`] : []),
    ...(proposal === undefined ? [] : [plainLine(proposal.message)]),
    ...(proposal?.url === undefined ? [] : [plainLine(proposal.url)]),
    ...refusals.map(({ path, message }) => `  ${paint("yellow", plainLine(path))}  ${plainLine(message)}`),
    ...(conflicts.length === 0 ? [] : ["", paint("bold", countText(conflicts.length, "conflict"))]),
    ...conflictLines(context, conflicts),
  ].join("\n");
}

function parseSeconds(text: string | undefined): number {
  if (text === undefined) return seconds.default;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > seconds.max)
    throw invalidArgument("--timeout", `--timeout takes a number of seconds from 1 to ${seconds.max}.`);
  return value;
}
