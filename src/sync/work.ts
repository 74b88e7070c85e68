/** What one sync has in its hands, and how it says that it can't go on. */
import type { PullRequests } from "../../repos/hosts/host.ts";
import type { Mirror, Remote, ScanProblem } from "../../repos/mirror/types.ts";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { SyncCounts, SyncRefusal } from "../../storage/sync-runs.ts";
import type { SyncActor } from "../access/actor.ts";
import type { App } from "../app.ts";

export interface SyncWork {
  app: App;
  actor: SyncActor;
  /** As it was when the lease was taken. */
  connection: ConnectionDoc;
  mirror: Mirror;
  remote: Remote;
  /** The host's, where it has any. */
  pulls: PullRequests | undefined;
  full: boolean;
  counts: SyncCounts;
  /** Directories and skills that could not be carried over, of the last round. */
  refusals: SyncRefusal[];
  /** What lies below `skills/` and is none, of the last round. */
  passedOver: SyncRefusal[];
  /** Aborted when somebody else has the lease, or the process ends. */
  signal: AbortSignal;
}

/** Trouble that trying again does not mend: somebody has to change something at the host, or here. */
export class SyncBlocked extends Error {
  override readonly name = "SyncBlocked";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A run keeps so many of them; the number of all is in its counts. */
const refusalsKept = 100;

/** All of it that is told. */
export function toldRefusals({ refusals, passedOver }: SyncWork): SyncRefusal[] {
  return [...refusals, ...passedOver].slice(0, refusalsKept);
}

export const passedOverWords: Record<ScanProblem["why"], string> = {
  root_file_is_no_file: "Its SKILL.md or RULE.md is no file: it is passed over.",
  submodule: "It is a submodule: it is passed over.",
  symlink: "It is a symbolic link: it is passed over.",
  name_not_text: "Its name is no text: it is passed over.",
  too_deep: "It lies too deep: it is passed over.",
  holds_skills: "Other skills lie in it: its SKILL.md or RULE.md is passed over until it is moved elsewhere.",
};

/** Told, and no failure of anything: such things may lie there for good. */
export function passOver(work: SyncWork, problems: readonly ScanProblem[]): void {
  work.passedOver = problems
    .slice(0, refusalsKept)
    .map(({ path, why }) => ({ path, code: why, message: passedOverWords[why] }));
}

/** Told in the same way: the skills are carried over without it. */
export function passOverIndex(work: SyncWork, { path, why }: { path: string; why: string }): void {
  if (work.passedOver.some((known) => known.path === path && known.code === why)) return;
  const message = "It is no file, so the list of skills is not written: rename what is there.";
  work.passedOver = [{ path, code: why, message }, ...work.passedOver];
}

export function refuse(work: SyncWork, path: string, code: string, message: string): void {
  work.counts.refused++;
  if (work.refusals.length < refusalsKept)
    work.refusals.push({ path, code, message: message.slice(0, 1000) });
}
