/**
 * Keeps the number of packs low: where 16 of one size class have gathered, their entries are copied into one pack.
 * Copied, not walked or recompressed, so no object can get lost; a replaced pack is removed only after a grace, and
 * only if every object in it is found in packs that stay. Processes may do this at the same time: they write equal
 * or overlapping packs, never smaller sets.
 */
import * as zlib from "node:zlib";
import { noteCount } from "../../contract/observation.ts";
import { RepoError } from "../errors.ts";
import type { PackStore } from "./driver.ts";
import { PackIndex, offsetDelta, parseEntryHead } from "./pack/format.ts";
import type { PackViews } from "./pack/views.ts";
import { PackWriter } from "./pack/writer.ts";
import type { MaintenanceReport, StoredId } from "./types.ts";

const packsPerClass = 16;
/** Larger packs are left alone, and no merged pack grows beyond the cap. */
const mergeableBytes = 32 * 1024 * 1024;
const mergedBytes = 256 * 1024 * 1024;

function sizeClass(objects: number): number {
  return Math.floor(Math.log2(Math.max(1, objects)) / 4);
}

/** Whether a merge seems due, from what is known without looking at the disk. */
export function isMergeDue(counts: readonly number[]): boolean {
  const classes = new Map<number, number>();
  for (const count of counts) {
    const size = sizeClass(count);
    const packs = (classes.get(size) ?? 0) + 1;
    if (packs >= packsPerClass) return true;
    classes.set(size, packs);
  }
  return false;
}

interface Candidate {
  pack: string;
  index: PackIndex;
}

export async function mergePacks(
  packs: PackStore,
  views: PackViews,
  repo: StoredId,
): Promise<MaintenanceReport> {
  const report: MaintenanceReport = { written: 0, superseded: 0 };
  const skipped = new Set<string>();
  // Merged packs may fill the next class; each round leaves fewer candidates.
  for (;;) {
    const group = nextGroup(await candidates(packs, views, repo, skipped));
    if (group === undefined) return report;
    const merged = await copyPacks(packs, views, repo, group, skipped);
    if (merged === undefined) continue;
    await packs.supersede(repo, merged.pack, merged.replaced);
    views.add(repo, merged.pack, new PackIndex(merged.index), merged.bytes);
    views.cover(repo, merged.replaced);
    noteCount("packs", { reason: "merge" });
    noteCount("packBytes", { reason: "merge" }, merged.bytes);
    report.written++;
    report.superseded += merged.replaced.length;
  }
}

/** Removes replaced packs whose grace is over. */
export async function removeReplaced(
  packs: PackStore,
  views: PackViews,
  repo: StoredId,
  graceMs: number,
  warn: (msg: string, pack: string) => void,
): Promise<number> {
  const { packs: present, notes } = await packs.list(repo);
  if (notes.length === 0) return 0;
  const replaced = new Set<string>();
  const due: { note: string; packs: string[] }[] = [];
  for (const note of notes) {
    const record = await packs.superseded(repo, note);
    for (const pack of record.replaced) if (pack !== note) replaced.add(pack);
    if (Date.now() - record.at.getTime() >= graceMs) due.push({ note, packs: record.replaced });
  }
  // Another process may be doing the same: a pack that is gone covers nothing and needs no removing.
  const staying: PackIndex[] = [];
  for (const pack of present) {
    const index = replaced.has(pack) ? undefined : await indexIfThere(views, repo, pack);
    if (index !== undefined && index !== null) staying.push(index);
  }

  const gone = new Set<string>();
  let removed = 0;
  for (const { note, packs: listed } of due) {
    const going: string[] = [];
    let kept = 0;
    for (const pack of listed) {
      if (!present.includes(pack) || pack === note || gone.has(pack)) continue;
      const index = await indexIfThere(views, repo, pack);
      if (index === undefined || (index !== null && isCovered(index, staying))) going.push(pack);
      else {
        kept++;
        warn("a replaced pack may hold objects that no other pack has; it stays", pack);
      }
    }
    views.cover(repo, going);
    for (const pack of going) gone.add(pack);
    await packs.remove(repo, kept > 0 ? { packs: going } : { packs: going, note });
    removed += going.length;
  }
  return removed;
}

/** Undefined for a pack that is gone: another process has merged it. */
async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof RepoError && error.code === "pack_vanished") return undefined;
    throw error;
  }
}

/** Undefined for a pack that is gone; null for one whose index is damaged, which its readers report. */
async function indexIfThere(
  views: PackViews,
  repo: StoredId,
  pack: string,
): Promise<PackIndex | null | undefined> {
  try {
    return await ifThere(views.index(repo, pack));
  } catch (error) {
    if (error instanceof RepoError && error.code === "object_corrupt") return null;
    throw error;
  }
}

export function isCovered(index: PackIndex, staying: readonly PackIndex[]): boolean {
  for (const oid of index.oids()) if (!staying.some((other) => other.find(oid) !== -1)) return false;
  return true;
}

async function candidates(
  packs: PackStore,
  views: PackViews,
  repo: StoredId,
  skipped: ReadonlySet<string>,
): Promise<Candidate[]> {
  const { packs: present, notes } = await packs.list(repo);
  const replaced = new Set<string>();
  for (const note of notes)
    for (const pack of (await packs.superseded(repo, note)).replaced) if (pack !== note) replaced.add(pack);
  views.cover(
    repo,
    present.filter((pack) => replaced.has(pack)),
  );
  const found: Candidate[] = [];
  for (const pack of present) {
    if (replaced.has(pack) || skipped.has(pack)) continue;
    const index = await indexIfThere(views, repo, pack);
    if (index !== undefined && index !== null) found.push({ pack, index });
  }
  return found;
}

function nextGroup(found: readonly Candidate[]): Candidate[] | undefined {
  const classes = new Map<number, Candidate[]>();
  for (const candidate of found) {
    const size = sizeClass(candidate.index.count);
    const group = classes.get(size);
    if (group === undefined) classes.set(size, [candidate]);
    else group.push(candidate);
  }
  const due = [...classes.values()].filter((group) => group.length >= packsPerClass);
  // Sorted, so that processes merging the same packs write the same bytes.
  return due[0]?.toSorted((a, b) => (a.pack < b.pack ? -1 : 1));
}

/** Copies the packs of a group that may be merged; the others go to `skipped` for this run. */
async function copyPacks(
  packs: PackStore,
  views: PackViews,
  repo: StoredId,
  group: readonly Candidate[],
  skipped: Set<string>,
) {
  const writer = new PackWriter(packs, repo, "existing");
  const replaced: string[] = [];
  let total = 0;
  let full = false;
  try {
    for (const { pack, index } of group) {
      const bytes = await ifThere(packs.size(repo, pack));
      if (total + (bytes ?? 0) > mergedBytes) {
        full = true;
        break;
      }
      const whole =
        bytes === undefined || bytes > mergeableBytes
          ? undefined
          : await ifThere(packs.read(repo, pack, 0, bytes));
      const entries = whole === undefined ? undefined : entriesOf(whole, index);
      if (bytes === undefined || entries === undefined) {
        skipped.add(pack);
        views.leave(repo, pack);
        continue;
      }
      for (const entry of entries)
        if (!writer.has(entry.oid)) await writer.addRaw(entry.oid, entry.crc, entry.data);
      total += bytes;
      replaced.push(pack);
    }
    if (replaced.length < packsPerClass && !full) {
      await writer.discard();
      return undefined;
    }
    const published = await writer.publish();
    return { ...published, replaced: replaced.filter((pack) => pack !== published.pack) };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/**
 * The entries of a pack in its own order; undefined if it can't be copied entry by entry: deltas lean on their place
 * (only native git writes them here), and a damaged entry must not spread.
 */
function entriesOf(pack: Buffer, index: PackIndex): { oid: string; crc: number; data: Buffer }[] | undefined {
  const entries = [];
  for (let i = 0; i < index.count; i++)
    entries.push({ oid: index.oidAt(i), crc: index.crcAt(i), at: index.offsetAt(i) });
  entries.sort((a, b) => a.at - b.at);
  const copies = [];
  for (const { oid, crc, at } of entries) {
    const data = pack.subarray(at, index.entryEnd(at, pack.length));
    if (zlib.crc32(data) !== crc || parseEntryHead(data).type >= offsetDelta) return undefined;
    copies.push({ oid, crc, data });
  }
  return copies;
}
