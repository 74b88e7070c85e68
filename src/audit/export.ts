/** A whole log as a file: made while it is read, so that its size costs no memory. */
import { Readable } from "node:stream";
import type { AuditEntryPayload } from "../../contract/payloads/organizations/audit.ts";
import type { AuditQuery } from "../../storage/audit/events.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { Reply } from "../http/route.ts";
import { csvLine } from "./csv.ts";
import { auditQuery, presentAuditEntry } from "./log.ts";
import type { AuditExportQuery } from "./schema.ts";

/** Bytes that gather before they are handed on. */
const chunkCharacters = 64 * 1024;

const columns = [
  "createdAt",
  "action",
  "actorType",
  "actorId",
  "actorName",
  "resourceType",
  "resourceId",
  "ip",
  "metadata",
  "id",
] as const;

const types = { csv: "text/csv; charset=utf-8; header=present", json: "application/json; charset=utf-8" };

/**
 * The log as an attachment named after `owner`. `isHead`: headers only. A reader that disconnects ends the query; if
 * the database fails, the response is aborted, so that a part is not taken for the whole.
 */
export async function exportAuditLog(
  app: App,
  log: AuditQuery["log"],
  input: AuditExportQuery,
  options: { owner: string; isHead: boolean },
): Promise<Reply> {
  const query = await auditQuery(app, log, input);
  const { format } = input;
  const day = app.now().toISOString().slice(0, 10);
  const headers = {
    "content-disposition": `attachment; filename="audit-log-${options.owner}-${day}.${format}"`,
  };
  const lines = format === "csv" ? csvOf : jsonOf;
  const body = options.isHead ? "" : Readable.from(inChunks(lines(app.storage.auditEvents.each(query))));
  return new Reply(body, { type: types[format], headers });
}

/** RFC 4180 with a header line. */
async function* csvOf(events: AsyncIterable<EventRow>): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const event of events) {
    const entry = presentAuditEntry(event);
    yield csvLine(columns.map((column) => cellOf(entry, column)));
  }
}

function cellOf(entry: AuditEntryPayload, column: (typeof columns)[number]): string {
  if (column === "actorType") return entry.actor.type;
  if (column === "actorId") return entry.actor.id ?? "";
  if (column === "actorName") return entry.actor.name;
  if (column === "metadata") return JSON.stringify(entry.metadata);
  return entry[column] ?? "";
}

/** One array, an entry to a line. */
async function* jsonOf(events: AsyncIterable<EventRow>): AsyncGenerator<string> {
  let before = "[\n";
  for await (const event of events) {
    yield before + JSON.stringify(presentAuditEntry(event));
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = "";
  for await (const line of lines) {
    text += line;
    if (text.length < chunkCharacters) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}
