/**
 * Failures that concern one directory or skill only. They are reported for it, and the sync of the others continues; a
 * failure of the host, of the database or of the disk fails the whole run.
 */
import { PackageError } from "../../../contract/checks/package-rules.ts";
import { RepoError, type RepoFailure } from "../../../repos/errors.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { messageShown } from "./context.ts";

export interface Refusal {
  code: string;
  message: string;
}

/** Failures of the service as a whole, not of a directory. */
const serviceFailures: readonly string[] = ["internal", "unavailable", "rate_limited"];

/** Failures of one skill's own repository. The mirror's are `mirror_damaged`. */
const skillFailures: readonly RepoFailure[] = [
  "invalid_id",
  "invalid_draft",
  "repository_missing",
  "object_missing",
  "object_corrupt",
  "digest_mismatch",
];

/** Errors of the language itself. Subclasses belong to libraries and report failures of other systems. */
const plainErrors: readonly unknown[] = [Error, TypeError, RangeError, SyntaxError, ReferenceError, URIError];

/** The refusal of a directory that an error becomes; undefined if the error concerns more than the directory. */
export function refusalOf(app: App, error: unknown, path: string): Refusal | undefined {
  if (error instanceof PackageError) return clipped(error.rule, error.message);
  if (error instanceof ServiceError)
    return serviceFailures.includes(error.code) ? undefined : clipped(error.code, error.message);
  if (error instanceof RepoError) {
    if (!skillFailures.includes(error.code)) return undefined;
    app.log.error({ error, path }, "a skill could not be read while it was synced");
    return { code: "unreadable", message: unreadableMessage };
  }
  if (!isPlain(error)) return undefined;
  app.log.error({ error, path }, "one directory of a sync failed unexpectedly");
  return {
    code: "internal",
    message:
      "Something went wrong on our side with this directory: the others are synced, and it is retried.",
  };
}

export const unreadableMessage =
  "The service can't read the stored content of this skill: ask its administrator to check the repositories.";

const clipped = (code: string, message: string): Refusal => ({
  code,
  message: message.slice(0, messageShown),
});

/** A system error has a code; an aborted or failed call to a library has a class of its own. */
const isPlain = (error: unknown) =>
  error instanceof Error && !("code" in error) && plainErrors.includes(error.constructor);
