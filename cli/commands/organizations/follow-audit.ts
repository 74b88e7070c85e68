/**
 * Follows an audit log by polling. An entry reaches the log shortly after its change, so each poll reads a minute again
 * and prints what is new.
 */
import type { AuditEntryPayload } from "../../../contract/payloads/organizations/audit.ts";
import type { AuditFilters, ReadAudit } from "../../api/calls/audit.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";

const overlapMs = 60_000;
const pauseMs = { default: 2000, max: 30_000 };
/** A page of the log counts up to as many entries. */
const readBatchSize = 10_000;

/** Prints the newest `shown` entries, oldest first, then new ones until the reader of stdout has gone. */
export async function followAudit(
  context: Context,
  read: ReadAudit,
  filters: AuditFilters,
  { shown, print }: { shown: number; print: (entry: AuditEntryPayload) => void },
): Promise<void> {
  const isClosed = watchClosed(context);
  const seen = new Map<string, number>();
  const { entries } = await read(filters, shown);
  let newest = timeOf(entries[0]) ?? timeOfText(filters.from) ?? -Infinity;
  const windowOf = (): AuditFilters =>
    Number.isFinite(newest)
      ? {
          ...filters,
          from: new Date(Math.max(newest - overlapMs, timeOfText(filters.from) ?? 0)).toISOString(),
        }
      : filters;
  if (entries.length > 0)
    for (const entry of (await read(windowOf(), readBatchSize)).entries)
      if (timeOf(entry)! <= newest) seen.set(entry.id, timeOf(entry)!);
  for (const entry of entries.toReversed()) {
    seen.set(entry.id, timeOf(entry)!);
    print(entry);
  }

  let waitMs = pauseMs.default;
  for (;;) {
    await context.sleep(waitMs);
    if (isClosed()) return;
    const next = await read(windowOf(), readBatchSize).catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      if (waitMs === pauseMs.default) context.output.warn(`${error.message} Trying again.`);
      return undefined;
    });
    waitMs = next === undefined ? Math.min(waitMs * 2, pauseMs.max) : pauseMs.default;
    const fresh = (next?.entries ?? []).filter(({ id }) => !seen.has(id));
    for (const entry of fresh.toSorted((a, b) => timeOf(a)! - timeOf(b)!)) {
      const at = timeOf(entry)!;
      seen.set(entry.id, at);
      newest = Math.max(newest, at);
      print(entry);
    }
    for (const [id, at] of seen) if (at < newest - overlapMs) seen.delete(id);
  }
}

/** A closed pipe (`svc audit -f | head`) ends the command. */
function watchClosed({ stdout }: Context): () => boolean {
  let isClosed = false;
  for (const event of ["error", "close"]) stdout.once(event, () => (isClosed = true));
  return () => isClosed || stdout.destroyed;
}

function isTransient(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const { httpStatus } = error.details ?? {};
  return (
    (error.code === "E_NETWORK" && httpStatus === undefined) ||
    (httpStatus !== undefined && (httpStatus === 429 || httpStatus >= 500))
  );
}

function timeOf(entry: AuditEntryPayload | undefined): number | undefined {
  return entry === undefined ? undefined : (timeOfText(entry.createdAt) ?? 0);
}

function timeOfText(text: string | undefined): number | undefined {
  const time = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
