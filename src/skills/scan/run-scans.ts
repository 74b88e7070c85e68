/**
 * Scans of new versions, and of current ones with other rules. Due scans are in a collection, so that a lost job or a
 * killed process delays a scan and never skips it.
 */
import { ReadableStream } from "node:stream/web";
import { noteCount } from "../../../contract/observation.ts";
import { isFlagged, type FlaggedVerdict } from "../../../contract/scan/policy.ts";
import type { ScanReport } from "../../../contract/scan/report.ts";
import { ruleSetVersion } from "../../../contract/scan/rules/index.ts";
import type { VersionScanDoc } from "../../../storage/versions/scans.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import type { FilePart } from "../../compute/pieces/scan-files.ts";
import { ServiceError } from "../../errors.ts";
import { noteFlagged } from "../following/note-changes.ts";
import { markOf } from "../marks/marks.ts";
import { repoOf } from "../read/content.ts";
import { findVersionOf } from "../versions/versions.ts";
import { applyVerdict } from "./apply-verdict.ts";

/** Longer than any scan, with the time to read the files. */
const leaseMs = 10 * 60_000;
/** Pauses before the next attempts; after the last one, the scan has failed. */
const pausesMs = [60_000, 10 * 60_000, 60 * 60_000];
/** Scans of one run. The next one continues. */
const maxScans = 2000;

/** Scans that failed for the last time, for the list of failed jobs. */
class ScansFailed extends Error {
  override readonly name = "ScansFailed";
  readonly retryable = false;
}

/**
 * Scans what is due. Throws if scans have failed for the last time, once all others are done, and `unavailable` if this
 * process has no threads for them, because it is busy or ends.
 */
export async function runScans(app: App): Promise<void> {
  const failed: string[] = [];
  for (let count = 0; count < maxScans; count++) {
    const now = app.now().getTime();
    const claimed = await app.storage.versionScans.claim(new Date(now), new Date(now + leaseMs));
    if (!claimed) break;
    const failure = await runScan(app, claimed).catch((error: unknown) => brokenScan(app, claimed, error));
    if (failure !== undefined) failed.push(failure);
  }
  if (failed.length > 0)
    throw new ScansFailed(`${failed.length} versions could not be scanned: ${failed.slice(0, 10).join(" ")}`);
}

/** Its lease ends in minutes, and another run repeats it: other scans do not wait for it. */
function brokenScan({ log }: App, { skillId, version }: VersionScanDoc, error: unknown): string {
  if (isBusy(error)) throw error;
  log.error({ error, skillId, version }, "the result of a scan could not be applied");
  return `Version ${version} of skill ${skillId}: its result could not be applied.`;
}

const isBusy = (error: unknown) => error instanceof ServiceError && error.code === "unavailable";

/** Returns a sentence if it was the last attempt and has failed. */
async function runScan(app: App, scan: VersionScanDoc): Promise<string | undefined> {
  const { _id, skillId, version } = scan;
  const row = await findVersionOf(app, skillId, version);
  if (!row) {
    await app.storage.versionScans.remove(_id);
    return undefined;
  }
  const { failure, ...report } =
    scan.attempts > pausesMs.length + 1
      ? failedReport("The process ended in each attempt to scan it.")
      : await scanVersion(app, row).catch(async (error: unknown) => {
          await app.storage.versionScans.release(_id, app.now());
          throw error;
        });
  noteCount("scans", { verdict: report.verdict });
  if (failure === undefined) {
    const finished = await app.storage.versionScans.finish(_id, { ...report, at: app.now() });
    // A harmless first result changes nothing.
    if (finished && (scan.result || isFlagged(report.verdict)))
      await applyVerdict(app, finished).catch(ignoreMissing);
    if (finished && isFlagged(report.verdict)) await noteForOwners(app, row, report.verdict);
    await app.storage.versionScans.complete(scan);
    return undefined;
  }
  const pauseMs = pausesMs[scan.attempts - 1];
  const dueAt = pauseMs === undefined ? undefined : new Date(app.now().getTime() + pauseMs);
  const result = worseResult(report, scan, app.now());
  const attempt = { failure, ruleSet: report.ruleSet, result };
  const failed = await app.storage.versionScans.fail(_id, attempt, dueAt);
  if (failed && result) await applyVerdict(app, failed).catch(ignoreMissing);
  if (failed && result && isFlagged(result.verdict)) await noteForOwners(app, row, result.verdict);
  app.log.error({ skillId, version, failure, attempts: scan.attempts }, "a version could not be scanned");
  return dueAt ? undefined : `Version ${version} of skill ${skillId}: ${failure}`;
}

/**
 * Findings of a failed scan, if they are worse than the last result. They count: a file that takes too long does not
 * protect those beside it.
 */
function worseResult(
  { findings, counts, ruleSet }: ScanReport,
  { result: before }: VersionScanDoc,
  at: Date,
): VersionScanDoc["result"] {
  const verdict = findings[0]?.severity;
  if (verdict === undefined || !isFlagged(verdict)) return undefined;
  const isKnown = before?.verdict === verdict || before?.verdict === "malicious";
  return isKnown ? undefined : { verdict, ruleSet, findings, counts, at };
}

/** Notes a flagged version for the owner team, unless the policy allows what was found. */
async function noteForOwners(app: App, row: VersionDoc, verdict: FlaggedVerdict): Promise<void> {
  const skill = await app.storage.skills.find(row.skillId);
  if (skill && markOf(skill, row.version)?.verdict) await noteFlagged(app, skill, row, verdict);
}

/** The skill or the version was deleted while it was scanned. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
}

/** A failure of any kind is a result without a verdict, so that other scans continue. */
async function scanVersion(app: App, version: VersionDoc): Promise<ScanReport> {
  const parts = readParts(app, version);
  const stream = ReadableStream.from<FilePart>(parts);
  try {
    return await app.compute.by("scans").run("scan", stream, [stream]);
  } catch (error) {
    if (isBusy(error)) throw error;
    app.log.error({ error, skillId: version.skillId, version: version.version }, "a scan failed");
    return failedReport("The scan took too much time or memory, or the files could not be read.");
  } finally {
    await parts.return();
  }
}

const failedReport = (failure: string): ScanReport => ({
  verdict: "failed",
  ruleSet: ruleSetVersion,
  findings: [],
  counts: {},
  failure,
});

/** The files of a version, as the thread reads them. */
async function* readParts(app: App, version: VersionDoc): AsyncGenerator<FilePart, void, undefined> {
  const repo = repoOf(version);
  for (const { path, mode } of await app.repos.listFiles(repo, version.oid)) {
    const file = await app.repos.openFile(repo, version.oid, path);
    if (!file) throw new Error(`commit ${version.oid} has lost a file`);
    const { stream, size } = file;
    try {
      yield { path, isExecutable: mode === "100755", size };
      for await (const part of stream) yield part as Uint8Array;
    } finally {
      stream.destroy();
    }
  }
}
