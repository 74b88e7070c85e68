/** What went wrong at a code host, for whoever waits for an answer. */
import { RepoError, type RepoFailure } from "../../repos/errors.ts";
import { plainText } from "../../repos/transport/pkt-line.ts";
import { ServiceError } from "../errors.ts";
import { SyncBlocked } from "./work.ts";

const sentences: Partial<Record<RepoFailure, string>> = {
  auth_failed: "The host does not take these credentials, or they do not allow enough.",
  remote_missing: "The host shows no such repository to these credentials.",
  remote_forbidden: "The address leads to a private network, which this service does not connect to.",
  invalid_remote: "The address or the branch is not usable.",
  remote_too_large: "The repository is too large to be connected.",
  remote_protocol: "What answers at that address is no git server.",
  remote_unreachable: "The host can't be reached right now: try again in a moment.",
  remote_failed: "The host failed: try again in a moment.",
  rate_limited: "The host asks to wait: try again later.",
  git_missing: "Repositories on the service's machine need a git program, and there is none.",
};

/** Runs something that asks a code host; its failures become `refused`, or `unavailable` where trying again helps. */
export async function askHost<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RepoError)) throw error;
    const message = sentences[error.code];
    if (message === undefined) throw error;
    const details = { kind: "repository" as const, reason: error.code };
    throw new ServiceError(error.retryable ? "unavailable" : "refused", message, details, { cause: error });
  }
}

const waysOut: Record<string, string> = {
  remote_missing: "Put it back where it was, or disconnect and connect another one.",
  host_not_offered:
    "This connection was made while it did: have its operator offer it again, or disconnect and connect in another way.",
  remote_forbidden:
    "This connection was made while others were allowed: have the service's operator allow them again, or disconnect and connect by another address.",
};

/**
 * What somebody has to mend before a sync can go on: what the sync itself has found, or that a repository which is
 * connected would be refused now, for it was removed or the service was configured otherwise since.
 */
export function blockedBy(error: unknown): { code: string; message: string } | undefined {
  if (error instanceof SyncBlocked) return error;
  if (
    !(error instanceof ServiceError) ||
    error.code !== "refused" ||
    error.details?.["kind"] !== "repository"
  )
    return undefined;
  const { reason = "invalid_remote" } = error.details as { reason?: string };
  const wayOut = waysOut[reason] ?? "Disconnect, and connect it as this service takes it now.";
  return { code: reason, message: `${error.message} ${wayOut}` };
}

const branchesNamed = 3;

/** The connected branch is not there: with what is there instead, since it may have been renamed. */
export function branchMissing(
  branch: string,
  found: { branches: readonly string[]; defaultBranch: string | undefined },
): SyncBlocked {
  const shown = (name: string) => plainText(name, 100).replaceAll("\n", " ");
  const more = found.branches.length > branchesNamed ? " and others" : "";
  const others = `${found.branches.slice(0, branchesNamed).map(shown).join(", ")}${more}`;
  const instead = found.defaultBranch === undefined ? others : shown(found.defaultBranch);
  const is = found.defaultBranch === undefined ? "it has" : "its default branch is";
  const known = instead === "" ? "" : ` (${is} ${instead})`;
  return new SyncBlocked(
    "branch_missing",
    `The repository has no branch ${branch}${known}: create it, or disconnect and connect another one.`,
  );
}
