/** Messages between the store and its worker threads: plain data, with errors in a form that survives cloning. */
import { PackageError } from "../../contract/package-rules.ts";
import { RepoError } from "../errors.ts";
import type { Identity, ListedFile, RepoId, VersionDraft } from "./types.ts";
import type { WrittenVersion } from "./write-version.ts";

export type WorkerJob =
  | {
      kind: "version";
      root: string;
      repo: RepoId;
      draft: VersionDraft;
      known: ReadonlySet<string>;
      committer: Identity;
    }
  | { kind: "zip"; root: string; repo: RepoId; files: readonly ListedFile[]; digest: string; path: string };

export interface WorkerResults {
  version: WrittenVersion;
  zip: boolean;
}

type SentError =
  | { from: "package"; rule: PackageError["rule"]; message: string; path: string | undefined }
  | { from: "repo"; code: RepoError["code"]; message: string }
  | { from: "bug"; message: string; stack: string | undefined };

export type WorkerAnswer = { result: WorkerResults[keyof WorkerResults] } | { error: SentError };

export function sendError(error: unknown): SentError {
  if (error instanceof PackageError)
    return { from: "package", rule: error.rule, message: error.message, path: error.path };
  if (error instanceof RepoError) return { from: "repo", code: error.code, message: error.message };
  if (error instanceof Error) return { from: "bug", message: error.message, stack: error.stack };
  return { from: "bug", message: "a worker threw a value that is not an Error", stack: undefined };
}

export function receiveError(sent: SentError): Error {
  if (sent.from === "package") return new PackageError(sent.rule, sent.message, sent.path);
  if (sent.from === "repo") return new RepoError(sent.code, sent.message);
  const error = new Error(sent.message);
  if (sent.stack !== undefined) error.stack = sent.stack;
  return error;
}
