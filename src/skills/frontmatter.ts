/** Errors about frontmatter, and text without it. Its rules are in `contract/checks/skill-rules.ts`. */
import { createHash } from "node:crypto";
import { type Fault, refusalText } from "../../contract/checks/skill-rules.ts";
import { cutFences } from "../../contract/document/frontmatter.ts";
import { ServiceError } from "../errors.ts";

/** The error for a fault of a text. */
export function refusalOf(fault: Fault, file: string): ServiceError {
  const { line } = fault;
  return new ServiceError("content_invalid", refusalText(file, fault), {
    kind: "content",
    ref: file,
    line,
  });
}

/**
 * Splits a stored text before its body, which is the part with the digest `hash`; undefined if no part has it. If the
 * service generated the frontmatter, the body may begin with blank lines.
 */
export function splitStored(text: string, hash: string): { head: string; body: string } | undefined {
  const parts = cutFences(text);
  if (parts === undefined) return undefined;
  const { opening, yaml, closing, blank, body } = parts;
  const fenced = opening.length + yaml.length + closing.length;
  const firstBlank = fenced + blank.indexOf("\n") + 1;
  return [text.length - body.length, firstBlank]
    .map((at) => ({ head: text.slice(0, at), body: text.slice(at) }))
    .find((cut) => createHash("sha256").update(cut.body).digest("hex") === hash);
}
