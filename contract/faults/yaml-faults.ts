/** Explains frontmatter that is not usable YAML: what is wrong, its line, and the text to write instead. Pure. */
import { type Document, type ErrorCode, isMap, isScalar } from "yaml";
import {
  correctionOf,
  entriesOf,
  errorLine,
  isCostly,
  maxEntries,
  spaceMissing,
} from "./yaml-corrections.ts";
import { byCode } from "./yaml-errors.ts";
import { lineAt, lineOf, quotedIfNeeded, readLine, shorten, writeInstead } from "./yaml-lines.ts";
import { type YamlFault, referenceIn } from "./yaml-references.ts";

/** The fault of YAML that the library refuses; `offset` and `code` are those of its first error. */
export function faultOfYaml(yaml: string, { code, offset }: { code: ErrorCode; offset: number }): YamlFault {
  // An error at the end is in the last line with text.
  const line = lineOf(yaml, Math.min(offset, yaml.trimEnd().length));
  if (code === "DUPLICATE_KEY") return duplicateKey(yaml, line);
  const [found, remedy] = byCode[code];
  const unexplained = { reason: `its frontmatter ${found}`, remedy, line };
  if (isCostly(yaml)) return unexplained;
  const entries = entriesOf(yaml);
  const at = entries.find(({ first, lines }) => line >= first && line < first + lines.length);
  const entry =
    at !== undefined && errorLine(at.lines.join("\n")) !== undefined
      ? at
      : entries.slice(0, maxEntries).find(({ lines }) => errorLine(lines.join("\n")) !== undefined);
  return (entry && correctionOf(entry)) ?? unexplained;
}

/** The fault of YAML that is no mapping, such as lines without a space after the colon. */
export function faultOfForm(yaml: string): YamlFault {
  const first = yaml.split(/\r?\n/).findIndex((text) => text.trim() !== "" && !text.startsWith("#"));
  const line = Math.max(first, 0) + 1;
  const { key, glued } = readLine(yaml.split(/\r?\n/)[first] ?? "");
  if (key !== undefined && glued !== undefined)
    return {
      ...spaceMissing(key),
      remedy: writeInstead(`${key}: ${quotedIfNeeded(glued)}`),
      line,
    };
  const [found, remedy] = byCode.IMPOSSIBLE;
  return { reason: `its frontmatter ${found}`, remedy, line };
}

/** The first key that is not text, or reference to another value; undefined if there is none. */
export function faultOfNodes(yaml: string, document: Document.Parsed): YamlFault | undefined {
  const { contents } = document;
  if (isMap(contents))
    for (const { key } of contents.items) {
      if (isScalar(key) && typeof key.value === "string") continue;
      const at = (key as { range?: readonly number[] } | null)?.range ?? [0, 0];
      const text = yaml.slice(at[0], at[1]).trim();
      return {
        reason: "its frontmatter has a key that is not text",
        remedy: /^[\w.-]+$/.test(text) ? writeInstead(`"${text}":`) : byCode.NON_STRING_KEY[1],
        line: lineOf(yaml, at[0] ?? 0),
      };
    }
  return referenceIn(yaml, document);
}

function duplicateKey(yaml: string, line: number): YamlFault {
  const { key, indent } = readLine(lineAt(yaml, line));
  const lines = yaml.split(/\r?\n/);
  const first = lines.findIndex((text) => {
    const other = readLine(text);
    return other.key === key && other.indent === indent;
  });
  const isNamed = key !== undefined && first >= 0 && first + 1 < line;
  if (!isNamed)
    return {
      reason: `its frontmatter ${byCode.DUPLICATE_KEY[0]}`,
      remedy: "Remove one of them.",
      line,
    };
  return {
    reason: `its frontmatter has the key "${key}" a second time`,
    remedy: `Keep one of: \`${shorten(lines[first]!.trim())}\`, \`${shorten(lineAt(yaml, line).trim())}\`.`,
    line,
  };
}
