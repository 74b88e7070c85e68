/** Preconditions by entity tags (RFC 7644, section 3.14). */
import type { ScimContext } from "./context.ts";
import { ScimError } from "./errors.ts";
import { versionOf } from "./present.ts";

/** Whether a header names a version. Weak and strong tags are equal: providers send both. */
export function namesVersion(header: string, doc: { revision: number }): boolean {
  if (header.trim() === "*") return true;
  const own = versionOf(doc).slice(2);
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === own);
}

/** Throws 412 if the caller changes another version than the current one. */
export function requirePrecondition({ ifMatch }: ScimContext, doc: { revision: number }): void {
  if (ifMatch === "" || namesVersion(ifMatch, doc)) return;
  throw new ScimError(
    412,
    `The resource has the version ${versionOf(doc)} now: read it again, then repeat the change.`,
  );
}
