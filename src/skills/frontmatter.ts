/** What the service does with frontmatter beside reading it (`contract/skill-rules.ts`): refusing and writing it. */
import { stringify } from "yaml";
import { limits } from "../../contract/limits.ts";
import type { Fault } from "../../contract/skill-rules.ts";
import { ServiceError } from "../errors.ts";

/** The failure that a fault of a text is. */
export function refusalOf({ rule, reason }: Fault, file: string): ServiceError {
  if (rule === "text_encoding")
    return new ServiceError("content_invalid", "The content is not text: it holds NUL or broken Unicode.", {
      kind: "content",
    });
  if (rule === "text_empty")
    return new ServiceError("content_invalid", "The text is empty.", { kind: "content" });
  return new ServiceError("content_invalid", `${file} can't be published: ${reason}.`, {
    kind: "content",
    ref: file,
  });
}

/** Writes frontmatter and body: `name`, `description`, then the other keys as they were published. */
export function joinFrontmatter(
  name: string,
  description: string,
  fields: ReadonlyMap<string, unknown>,
  body: string,
): string {
  const ordered = new Map<string, unknown>([
    ["name", name],
    ["description", description],
    ...[...fields].filter(([key]) => key !== "name" && key !== "description"),
  ]);
  return `---\n${stringify(ordered, { lineWidth: 0, aliasDuplicateObjects: false, version: "1.2" })}---\n\n${body}`;
}

/** The body of a text that `joinFrontmatter` wrote. */
export function bodyOf(text: string): string {
  const end = text.indexOf("\n---\n\n");
  return text.startsWith("---\n") && end >= 0 ? text.slice(end + "\n---\n\n".length) : text;
}

/** The first paragraph as one plain line: what stands in where nothing describes a skill. */
export function firstParagraph(body: string): string {
  const block =
    body.split(/\r?\n[ \t]*\r?\n/).find((part) => part.trim() !== "" && !/^\s*(#|```|---|<!--)/.test(part)) ??
    "";
  // Cut before it is searched: many opening brackets without their closing ones take the square of the length.
  const plain = block
    .slice(0, 2 * limits.skillDescription)
    .replace(/[*_`>#]|!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return plain.slice(0, limits.skillDescription);
}
