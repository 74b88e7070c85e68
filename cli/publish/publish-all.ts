/** Publishes several skills: plans all of them, then publishes those that are new or changed, each on its own. */
import { basename } from "node:path";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { PublishPlan } from "../../contract/payloads/skills/plans.ts";
import type { Client } from "../api/client.ts";
import type { CommandResult } from "../command.ts";
import type { Context } from "../context.ts";
import { Cancelled, type CliError, presentError, toCliError } from "../errors.ts";
import { noteFolders } from "../pack/note-folders.ts";
import { askYes } from "../terminal/prompts.ts";
import { plainLine, renderTable } from "../terminal/table.ts";
import { type Chosen, type PublishJob, planOne, publishOne, readChosen } from "./job.ts";
import { ignoredTexts, otherLocation, presentPublished } from "./present.ts";
import { type Planned, refuseTwins } from "./refuse-twins.ts";

type Outcome = "created" | "updated" | "unchanged" | "failed";

interface Row {
  path: string;
  outcome: Outcome;
  skill?: PublishPlan["skill"];
  semver?: string;
  url?: string;
  format?: string;
  fileCount?: number;
  ignoredFlags: ("folder" | "visibility")[];
  warnings: string[];
  previousContentLocation?: string;
  error?: ReturnType<typeof presentError>["error"];
}

/** Maximum number of skills that are planned, and then published, concurrently. */
const atOnce = 4;

export async function publishAll(
  context: Context,
  client: Client,
  job: PublishJob,
  chosen: readonly Chosen[],
  options: { dryRun: boolean; isConfirmed: boolean; isSelected?: boolean },
): Promise<CommandResult> {
  noteFolders(
    context,
    chosen.filter(({ isFound }) => isFound).map(({ path }) => path),
  );
  const planned = await context.output.waiting(`Checking ${chosen.length} skills`, () =>
    planAll(context, client, job, chosen),
  );
  throwIfNoneWorks(planned);
  const rows = planned.map(plannedRow);
  const wanted = planned.filter((_, i) => isToPublish(rows[i]!));
  if (!options.dryRun && wanted.length > 0) {
    const fromElsewhere = rows.filter((row) => isToPublish(row) && row.previousContentLocation !== undefined);
    const isAsked = !options.isConfirmed && (options.isSelected !== true || fromElsewhere.length > 0);
    if (context.interactive && isAsked) {
      context.output.note(tableOf(context, rows));
      for (const { path, warnings } of fromElsewhere)
        context.output.warn(`${plainLine(path)}: ${warnings.at(-1)}`);
      await askYes(`Publish ${wanted.length === 1 ? "this skill" : `these ${wanted.length} skills`}?`);
    }
    const rowOf = new Map(planned.map((one, i) => [one, i]));
    let done = 0;
    await context.output.waiting(`Publishing ${wanted.length} skills`, async (update) => {
      const publish = async (one: Planned) => {
        rows[rowOf.get(one)!] = await publishPlanned(context, client, job, one);
        update(`Publishing ${basename(one.chosen.path)} (${++done} of ${wanted.length})`);
      };
      // The first one creates missing folders.
      await publish(wanted[0]!);
      await mapLimit(wanted.slice(1), atOnce, publish);
    });
  }
  return presentAll(context, rows, options.dryRun);
}

const isToPublish = ({ outcome }: Row) => outcome === "created" || outcome === "updated";

async function planAll(
  context: Context,
  client: Client,
  job: PublishJob,
  chosen: readonly Chosen[],
): Promise<Planned[]> {
  const planned = await mapLimit(chosen, atOnce, async (one): Promise<Planned> => {
    try {
      const source = await readChosen(context, job, one);
      return { chosen: one, source, plan: await planOne(client, job, one, source) };
    } catch (error) {
      return { chosen: one, error: toCliError(error) };
    }
  });
  return refuseTwins(planned);
}

/** A service that can't be reached, or requires a login, fails the command and not each skill. */
function throwIfNoneWorks(planned: readonly Planned[]): void {
  const errors = planned.flatMap(({ error }) => error ?? []);
  const [first] = errors;
  if (first === undefined || errors.length < planned.length) return;
  if (["E_NETWORK", "E_NOT_AUTHENTICATED"].includes(first.code)) throw first;
}

function plannedRow({ chosen: { path }, source, plan, error, sameAs }: Planned): Row {
  if (plan === undefined || source === undefined) return failedRow(path, error!);
  const { publicId, slug, tenantSlug, name, type, visibility } = plan.skill;
  const isSame = plan.unchanged || sameAs !== undefined;
  const other = isSame ? undefined : otherLocation(plan);
  return {
    path,
    outcome: isSame ? "unchanged" : plan.action,
    skill: { publicId, slug, tenantSlug, name, type, visibility },
    semver: plan.unchanged ? undefined : plan.semver,
    format: source.format,
    fileCount: source.format === "package" ? source.files.length : undefined,
    ignoredFlags: plan.ignoredFlags,
    warnings: [
      ...source.warnings,
      ...(sameAs === undefined ? [] : [`${plainLine(sameAs)} has the same content`]),
      ...(other?.warnings ?? []),
    ],
    previousContentLocation: other?.previousContentLocation,
  };
}

function failedRow(path: string, error: CliError): Row {
  return { path, outcome: "failed", ignoredFlags: [], warnings: [], error: presentError(error).error };
}

async function publishPlanned(
  context: Context,
  client: Client,
  job: PublishJob,
  { chosen, source }: Planned,
): Promise<Row> {
  const { path } = chosen;
  try {
    const input = { ...job.input, ifChanged: true as const };
    const published = await publishOne(context, client, { ...job, input }, chosen, source!);
    const { action, skill, unchanged, ...rest } = presentPublished(published, source!.warnings);
    const { publicId, slug, tenantSlug, name, type, visibility } = skill;
    return {
      path,
      outcome: unchanged ? "unchanged" : action,
      skill: { publicId, slug, tenantSlug, name, type, visibility },
      semver: published.version.semver,
      ...rest,
    };
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return failedRow(path, toCliError(error));
  }
}

function presentAll(context: Context, rows: readonly Row[], dryRun: boolean): CommandResult {
  const count = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).length;
  const summary = {
    created: count("created"),
    updated: count("updated"),
    unchanged: count("unchanged"),
    failed: count("failed"),
  };
  for (const { path, warnings, ignoredFlags, skill } of rows)
    for (const text of [...warnings, ...(skill === undefined ? [] : ignoredTexts(ignoredFlags, skill))])
      context.output.warn(`${plainLine(path)}: ${text}`);
  const total = Object.entries(summary)
    .filter(([, number]) => number > 0)
    .map(([outcome, number]) => `${number} ${outcome}`);
  return {
    data: { dryRun, skills: rows, summary },
    text: [
      tableOf(context, rows),
      ...rows.flatMap(({ path, error }) =>
        error === undefined
          ? []
          : [
              `${context.output.paint("red", "failed")}  ${plainLine(path)}: ${plainLine(String(error["message"]))}`,
            ],
      ),
      `${dryRun ? "Would be: " : ""}${total.join(", ")}.${dryRun ? " Nothing was sent." : ""}`,
    ].join("\n"),
    partial: summary.failed > 0,
  };
}

function tableOf({ output: { columns, paint } }: Context, rows: readonly Row[]): string {
  return renderTable(
    ["SKILL", "RESULT", "VERSION", "PATH"],
    rows.map(({ path, outcome, skill, semver }) => [
      skill === undefined ? basename(path) : `${skill.tenantSlug}/${skill.slug}`,
      outcome,
      semver ?? "",
      path,
    ]),
    { columns, paintHead: (text) => paint("bold", text) },
  );
}
