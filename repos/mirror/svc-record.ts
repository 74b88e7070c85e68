/** `.svc.json`: facts about a skill for readers of the repository. Its content is only a hint, and never trusted. */
import { publicName } from "../../contract/names/public-name.ts";
import type { SvcRecord } from "./types.ts";

const readableBytes = 64 * 1024;

/** Keys are sorted, indented by two spaces, with a final line feed: the same record has the same bytes. */
export function svcRecordFile(record: SvcRecord): Buffer {
  const person = (who: SvcRecord["author"]) =>
    who === null ? null : { name: publicName(who.name) || who.username, username: who.username };
  const sorted = {
    author: person(record.author),
    id: record.id,
    semver: record.semver,
    tags: record.tags,
    type: record.type,
    version: record.version,
    versionAuthor: person(record.versionAuthor),
    visibility: record.visibility,
  };
  return Buffer.from(`${JSON.stringify(sorted, undefined, 2)}\n`);
}

/** The id that a `.svc.json` claims, if it reads as one. */
export function readSvcId(data: Buffer): string | undefined {
  if (data.length > readableBytes) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(data.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
  if (typeof record !== "object" || record === null || !("id" in record)) return undefined;
  const { id } = record;
  return typeof id === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : undefined;
}
