/** Errors about frontmatter, and text without it. Its rules are in `contract/skill-rules.ts`. */
import { createHash } from "node:crypto";
import { cutAtWord } from "../../contract/cut-text.ts";
import { cutFences } from "../../contract/frontmatter.ts";
import { limits } from "../../contract/limits.ts";
import type { Fault } from "../../contract/skill-rules.ts";
import { ServiceError } from "../errors.ts";

/** The error for a fault of a text. */
export function refusalOf({ rule, reason }: Fault, file: string): ServiceError {
  if (rule === "text_encoding")
    return new ServiceError(
      "content_invalid",
      "The content is not text: it contains NUL or malformed Unicode.",
      {
        kind: "content",
      },
    );
  if (rule === "text_empty")
    return new ServiceError("content_invalid", "The text is empty.", { kind: "content" });
  return new ServiceError("content_invalid", `${file} can't be published: ${reason}.`, {
    kind: "content",
    ref: file,
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

/** The first paragraph as one plain line: the default description of a skill. */
export function firstParagraph(body: string): string {
  const block =
    body.split(/\r?\n[ \t]*\r?\n/).find((part) => part.trim() !== "" && !/^\s*(#|```|---|<!--)/.test(part)) ??
    "";
  // Shortened before it is searched: unclosed brackets take quadratic time.
  const plain = block
    .slice(0, 2 * limits.skillDescriptionAdvised)
    .replace(/[*_`>#]|!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return cutAtWord(plain, limits.skillDescriptionAdvised);
}
