/** Failures of a code host as error responses and as problems of a connection. */
import { type SyncProblemCode, syncProblemCodes } from "../../../contract/vocabulary.ts";
import { RepoError, type RepoFailure } from "../../../repos/errors.ts";
import { plainText } from "../../../repos/transport/pkt-line.ts";
import { ServiceError } from "../../errors.ts";
import { SyncBlocked } from "./sync-blocked.ts";

const sentences: Partial<Record<RepoFailure, string>> = {
  connection_ended: "The repository was disconnected while it was being read.",
  auth_failed: "The host does not accept these credentials, or they lack a permission.",
  remote_missing: "Repository not found, or these credentials don't have access to it.",
  remote_forbidden: "The address leads to a private network, which this service does not connect to.",
  remote_too_large: "The repository is too large to be connected.",
  remote_protocol: "The address does not belong to a git server.",
  remote_failed: "The host failed: try again in a moment.",
  rate_limited: "The host asks to wait: try again later.",
  git_missing: "Repositories on the service's machine need the git program, which is not installed.",
};

/** Failures whose message has no text of the host and names what has to change: an address, a proxy, a name server. */
const ownMessages: readonly RepoFailure[] = ["invalid_remote", "sha256_repository", "remote_unreachable"];

/** The message of a failure as a sentence. */
export function toSentence({ message }: RepoError): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`;
}

export function isConnectionEnded(error: unknown): boolean {
  return error instanceof RepoError && error.code === "connection_ended";
}

/** Runs requests to a code host. Their failures become `refused`, or `unavailable` if a retry may help. */
export async function askHost<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RepoError)) throw error;
    const message =
      sentences[error.code] ?? (ownMessages.includes(error.code) ? toSentence(error) : undefined);
    if (message === undefined) throw error;
    const details = { kind: "repository" as const, reason: error.code };
    throw new ServiceError(error.retryable ? "unavailable" : "refused", message, details, { cause: error });
  }
}

const hints: Partial<Record<SyncProblemCode, string>> = {
  remote_missing: "Restore it, or disconnect and connect another one.",
  host_not_offered:
    "It was offered when this connection was created: ask the operator to offer it again, or disconnect and " +
    "connect in another way.",
  remote_forbidden:
    "Such addresses were allowed when this connection was created: " +
    "ask the operator to allow them again, or disconnect and connect another address.",
};

/**
 * Problem that requires a change by a person before a sync can continue: one that the sync found, or a connected
 * repository that would be refused now, because it was removed or the configuration has changed.
 */
export function blockedBy(error: unknown): { code: SyncProblemCode; message: string } | undefined {
  if (error instanceof SyncBlocked) return error;
  if (
    !(error instanceof ServiceError) ||
    error.code !== "refused" ||
    error.details?.["kind"] !== "repository"
  )
    return undefined;
  const reason = syncProblemCodes.find((code) => code === error.details?.["reason"]) ?? "invalid_remote";
  const hint = hints[reason] ?? "Disconnect, and connect it again in a way that this service supports.";
  return { code: reason, message: `${error.message} ${hint}` };
}

const branchesNamed = 3;
const branchesListed = 20;

/** Branches of a repository without the requested one. */
interface FoundBranches {
  branches: readonly string[];
  defaultBranch: string | undefined;
}

const shownBranch = (name: string) => plainText(name, 100).replaceAll("\n", " ");

/**
 * Error for a connected branch that does not exist. Lists the existing ones, since the branch may have been renamed.
 */
export function branchMissing(branch: string, found: FoundBranches): SyncBlocked {
  return new SyncBlocked("branch_missing", sentenceOfMissing(branch, found, "disconnect and "));
}

/**
 * Error for connecting a branch that does not exist. Lists the first existing ones, the default branch before the
 * others.
 */
export function noSuchBranch(branch: string, found: FoundBranches): ServiceError {
  const others = found.branches.filter((name) => name !== found.defaultBranch);
  const isDefaultThere = others.length < found.branches.length;
  const branches = [...(isDefaultThere ? [found.defaultBranch ?? ""] : []), ...others]
    .slice(0, branchesListed)
    .map(shownBranch);
  return new ServiceError("refused", sentenceOfMissing(shownBranch(branch), found, ""), {
    kind: "repository",
    reason: "branch_missing",
    branches,
  });
}

function sentenceOfMissing(branch: string, { branches, defaultBranch }: FoundBranches, before: string) {
  const more = branches.length > branchesNamed ? " and others" : "";
  const others = `${branches.slice(0, branchesNamed).map(shownBranch).join(", ")}${more}`;
  const isDefaultThere = defaultBranch !== undefined && branches.includes(defaultBranch);
  const known = isDefaultThere ? `its default branch is ${shownBranch(defaultBranch)}` : `it has ${others}`;
  const instead = branches.length === 0 ? "" : ` (${known})`;
  return `The repository has no branch ${branch}${instead}: create it, or ${before}connect another one.`;
}
