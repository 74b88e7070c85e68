/** Messages between a pool and its threads: plain data, with errors in a form that survives cloning. */
import { PackageError } from "../../contract/checks/package-rules.ts";
import { RepoError } from "../errors.ts";

export type ToThread = { piece: unknown };

export type FromThread =
  /** The thread is loaded. `id`: its id in the system, where that is known. */
  | { kind: "ready"; id: number | undefined }
  | { kind: "done"; result: unknown }
  | { kind: "failed"; error: SentError };

type SentError =
  | { from: "package"; rule: PackageError["rule"]; message: string; path: string | undefined }
  | { from: "repo"; code: RepoError["code"]; message: string }
  | { from: "bug"; message: string; stack: string | undefined };

export function sendError(error: unknown): SentError {
  if (error instanceof PackageError)
    return { from: "package", rule: error.rule, message: error.message, path: error.path };
  if (error instanceof RepoError) return { from: "repo", code: error.code, message: error.message };
  if (error instanceof Error) return { from: "bug", message: error.message, stack: error.stack };
  return { from: "bug", message: "a thread threw a value that is not an Error", stack: undefined };
}

export function receiveError(sent: SentError): Error {
  if (sent.from === "package") return new PackageError(sent.rule, sent.message, sent.path);
  if (sent.from === "repo") return new RepoError(sent.code, sent.message);
  const error = new Error(sent.message);
  if (sent.stack !== undefined) error.stack = sent.stack;
  return error;
}
