/** References of YAML to other values, which not every tool reads. Pure. */
import { type Document, isMap, isScalar, visit } from "yaml";
import { lineAt, lineOf, quoted, readLine, subjectOf, writeInstead } from "./yaml-lines.ts";

export interface YamlFault {
  /** A clause about "it", the file. */
  reason: string;
  /** A sentence with the text to write, if one is known. */
  remedy: string;
  /** Line of the YAML, from 1. */
  line: number;
}

export function referenceIn(yaml: string, document: Document.Parsed): YamlFault | undefined {
  let fault: YamlFault | undefined;
  const labelled = new Map<string, unknown>();
  visit(document, {
    Node(_, node) {
      if ("anchor" in node && node.anchor !== undefined) labelled.set(node.anchor, node);
    },
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== "<<" || key.type !== "PLAIN") return undefined;
      const line = lineOf(yaml, key.range?.[0] ?? 0);
      const reason = "its frontmatter takes keys from another value (<<), which not every tool reads";
      const source = /\*([^\s,\]}]+)/.exec(lineAt(yaml, line))?.[1];
      const target = source === undefined ? undefined : labelled.get(source);
      const [range] = [(target as { range?: readonly number[] } | undefined)?.range];
      const keys = isMap(target) && range ? yaml.slice(range[0], range[1]).trim() : "";
      const isShort = keys !== "" && keys.length <= 200 && !keys.includes("\n");
      fault = {
        reason,
        remedy: isShort ? writeInstead(keys) : "Write the keys themselves.",
        line,
      };
      return visit.BREAK;
    },
    Alias(_, { source, range }) {
      const line = lineOf(yaml, range?.[0] ?? 0);
      const { indent, key, value } = readLine(lineAt(yaml, line));
      const target = labelled.get(source);
      const isPattern = target === undefined && key !== undefined && value?.startsWith("*") === true;
      const text = isPattern ? value : isScalar(target) ? String(target.value) : undefined;
      fault = {
        reason: isPattern
          ? `${subjectOf(key)} begins with "*", which YAML reserves`
          : `${subjectOf(key)} refers to another value (*${source}), which not every tool reads`,
        remedy:
          text === undefined || key === undefined
            ? "Write the value itself, or put it in quotation marks."
            : writeInstead(`${indent}${key}: ${quoted(text)}`),
        line,
      };
      return visit.BREAK;
    },
  });
  return fault;
}
