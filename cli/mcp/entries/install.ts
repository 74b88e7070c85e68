/** Writes the entries of one server into the tools' files, with a record of each before and after. */
import { dirname } from "node:path";
import type { McpServer, SuppliedValues } from "../../../contract/mcp-entries/server.ts";
import type { Context } from "../../context.ts";
import { firstMissing } from "../../install/locations/files.ts";
import { profileOf } from "../../state/config.ts";
import type { McpRecord, ServerHead } from "../../state/mcp-servers.ts";
import type { StateChange } from "../../state/state.ts";
import type { Undo } from "../edit/change.ts";
import { dropRecord, fileState, findServer, ownersIn, putRecord } from "../records.ts";
import { readConfigText, updateConfigText } from "./config-file.ts";
import { type FailedEntry, attempt, failedEntry } from "./failed-entry.ts";
import {
  type EntryFile,
  type PlannedEntry,
  type WantedEntry,
  findEntryFile,
  initialText,
  planEntry,
} from "./plan.ts";

export interface InstalledEntries {
  installed: McpRecord[];
  skipped: { platform: string; reason: string }[];
  failed: FailedEntry[];
}

export interface EntryRequest {
  profile: string;
  /** The server that is recorded. */
  head: ServerHead;
  revision: number;
  /** The server that the entry is made from: the endpoint, for a hosted connector. */
  server: McpServer;
  wanted: readonly WantedEntry[];
  values: SuppliedValues;
  /** Replace entries of others. */
  force: boolean;
}

/** One entry that is about to be written. */
interface Announced {
  file: EntryFile;
  record: McpRecord;
  /** The record before, if svc had written the entry. */
  before: McpRecord | undefined;
}

export async function installEntries(
  context: Context,
  state: StateChange,
  request: EntryRequest,
): Promise<InstalledEntries> {
  const result: InstalledEntries = { installed: [], skipped: [], failed: [] };
  const announced: Announced[] = [];
  for (const wanted of request.wanted) {
    const { platform } = wanted;
    const file = await findEntryFile(context, wanted);
    if ("refused" in file) {
      if (wanted.isImplied !== true) result.skipped.push({ platform, reason: file.refused });
      continue;
    }
    const outcome = await attempt(file, () => announce(context, state, request, file));
    if ("error" in outcome) result.failed.push(failedEntry(file, request, outcome));
    else if ("refused" in outcome) {
      if (wanted.isImplied !== true) result.skipped.push({ platform, reason: outcome.refused });
    } else announced.push(outcome);
  }
  if (announced.length === 0) return result;

  await state.save();
  for (const one of announced) {
    const { platform } = one.file;
    const outcome = await attempt(one.file, () => write(context, state, request, one));
    if ("record" in outcome) result.installed.push(outcome.record);
    else {
      withdraw(state, request, one);
      if ("error" in outcome) result.failed.push(failedEntry(one.file, request, outcome));
      else result.skipped.push({ platform, reason: outcome.refused });
    }
  }
  await state.save();
  // A tool that has the server in a further file only is not skipped.
  const isFurther = ({ platform }: { platform: string }) =>
    result.installed.some((one) => one.platform === platform && one.also !== undefined);
  return { ...result, skipped: result.skipped.filter((one) => !isFurther(one)) };
}

/** Plans an entry without writing it, and records it as pending. */
async function announce(
  context: Context,
  state: StateChange,
  request: EntryRequest,
  file: EntryFile,
): Promise<Announced | { refused: string }> {
  const { config } = state;
  const { text } = await readConfigText(file.path, file.projectDir);
  const planned = plan(context, state, request, file, text);
  if ("refused" in planned) return planned;
  const { record, isForced } = planned;
  if (ownersIn(config, file.path).length === 0) {
    const created = fileState(config, file.path);
    if (text === undefined) created.created = initialText(file.definition);
    const folder = await firstMissing(dirname(file.path));
    if (folder !== undefined) created.createdFolder = folder;
  }
  addUndo(state, file, planned.undo);
  const profile = profileOf(config, request.profile);
  const before = findServer(profile, request.head)?.installs.find(
    (one) => one.path === record.path && one.key === record.key,
  );
  const pending: McpRecord = { ...record, pending: isForced ? "forced" : "new" };
  putRecord(profile, request.head, before === undefined ? pending : joined(before, record));
  return { file, record, before };
}

async function write(
  context: Context,
  state: StateChange,
  request: EntryRequest,
  { file }: Announced,
): Promise<{ record: McpRecord } | { refused: string }> {
  let planned: PlannedEntry | { refused: string } | undefined;
  await updateConfigText(file.path, file.projectDir, (text) => {
    planned = plan(context, state, request, file, text);
    return "refused" in planned ? text : planned.text;
  });
  if ("refused" in planned!) return planned;
  addUndo(state, file, planned!.undo);
  putRecord(profileOf(state.config, request.profile), request.head, planned!.record);
  return { record: planned!.record };
}

function plan(
  context: Context,
  { config }: StateChange,
  { head, revision, server, values, force }: EntryRequest,
  file: EntryFile,
  text: string | undefined,
): PlannedEntry | { refused: string } {
  return planEntry(config, file, text, { head, revision, server, values, force, now: context.now() });
}

/** The old record with the names of the new one, since an interrupted run may have written either. */
function joined(before: McpRecord, next: McpRecord): McpRecord {
  const fields = [...new Set([...Object.keys(before.names), ...Object.keys(next.names)])];
  const both = (one: readonly string[] = [], other: readonly string[] = []) => [
    ...new Set([...one, ...other]),
  ];
  const inputs = both(before.inputs, next.inputs);
  return {
    ...before,
    names: Object.fromEntries(fields.map((field) => [field, both(before.names[field], next.names[field])])),
    ...(inputs.length === 0 ? {} : { inputs }),
  };
}

/** Removes the record of an entry that could not be written. */
function withdraw({ config }: StateChange, request: EntryRequest, { record, before }: Announced): void {
  const profile = profileOf(config, request.profile);
  if (before === undefined) dropRecord(config, profile, request.head, record);
  else putRecord(profile, request.head, before);
}

/** The first form of each path is the one to restore. */
function addUndo({ config }: StateChange, { path }: EntryFile, undo: readonly Undo[]): void {
  const known = fileState(config, path).undo;
  const pathOf = (one: Undo) => JSON.stringify(one.path);
  known.push(...undo.filter((one) => !known.some((other) => pathOf(other) === pathOf(one))));
}
