/** The keys of the frontmatter: completion, and help for the one at the cursor. */
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { EditorState } from "@codemirror/state";
import { ruleKeys, skillKeys } from "../../../../../contract/document/known-keys.ts";
import { limits } from "../../../../../contract/limits.ts";
import { toolNames } from "../../../parts/text/tool-names.ts";

export interface KeyHelp {
  key: string;
  text: string;
  /** Characters of the value at most. */
  limit?: number;
}

const described: readonly KeyHelp[] = [
  {
    key: "name",
    text: "Lower-case letters, digits and single hyphens, like the folder of the skill.",
    limit: 64,
  },
  {
    key: "description",
    text:
      "What the skill does and when to use it. Agents choose a skill by this text alone, so name the words that a " +
      "person would say.",
    limit: limits.skillDescriptionAdvised,
  },
  { key: "license", text: "Name of the license, or of the file with its terms." },
  { key: "compatibility", text: "Products, systems and packages that the skill needs.", limit: 500 },
  { key: "metadata", text: "Further values of your own: a mapping of texts to texts." },
  { key: "allowed-tools", text: "Tools that the skill may use without asking, separated by spaces." },
  {
    key: "tags",
    text: `Words to find the skill by, at most ${limits.tagsPerSkill}. Separate them by commas.`,
  },
];

/** Keys that only some tools use, with their names. */
const keysOfTools = [...new Set([...Object.keys(skillKeys), ...Object.keys(ruleKeys)])]
  .filter((key) => described.every((one) => one.key !== key))
  .sort()
  .map((key): KeyHelp => {
    const tools = new Set([...(skillKeys[key] ?? []), ...(ruleKeys[key] ?? [])]);
    return { key, text: `Used by ${[...tools].map((tool) => toolNames[tool]).join(", ")}.` };
  });

const keys: readonly KeyHelp[] = [...described, ...keysOfTools];

/** A fence that is further down does not end frontmatter, which is limited to 8 KB. */
const maxLines = 400;

/** The lines between the fences. Read from the text, which is cheaper and steadier than the syntax tree. */
function fencedPart({ doc }: EditorState): { from: number; to: number } | undefined {
  if (doc.line(1).text.trimEnd() !== "---") return undefined;
  for (let number = 2; number <= Math.min(doc.lines, maxLines); number++) {
    const line = doc.line(number);
    if (line.text.trimEnd() === "---") return { from: doc.line(2).from, to: line.from };
  }
  return undefined;
}

export function completeKeys(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/^[\w-]*/m);
  const inside = fencedPart(context.state);
  if (!word || !inside || word.from < inside.from || word.to > inside.to) return null;
  if (word.from === word.to && !context.explicit) return null;
  const text = context.state.sliceDoc(inside.from, inside.to);
  const used = new Set([...text.matchAll(/^([\w-]+):/gm)].map((match) => match[1]));
  return {
    from: word.from,
    options: keys
      .filter(({ key }) => !used.has(key))
      .map(({ key, text: info }) => ({ label: key, info, type: "property", apply: `${key}: ` })),
    validFor: /^[\w-]*$/,
  };
}

export interface KeyAtCursor extends KeyHelp {
  /** Characters of its value. */
  length: number;
}

/** The known key whose value the cursor is in. */
export function keyAtCursor(state: EditorState): KeyAtCursor | undefined {
  const inside = fencedPart(state);
  const at = state.selection.main.head;
  if (!inside || at < inside.from || at >= inside.to) return undefined;
  let line = state.doc.lineAt(at);
  while (line.from > inside.from && /^(?:\s|$)/.test(line.text)) line = state.doc.line(line.number - 1);
  const name = /^([\w-]+):/.exec(line.text)?.[1];
  const help = keys.find(({ key }) => key === name);
  if (!help) return undefined;
  const value = [line.text.slice(help.key.length + 1).trim()];
  for (let number = line.number + 1; number <= state.doc.lines; number++) {
    const next = state.doc.line(number);
    if (next.from >= inside.to || !/^\s/.test(next.text)) break;
    value.push(next.text.trim());
  }
  const text = value
    .join(" ")
    .replace(/^[>|][+-]?\s*/, "")
    .replace(/^(["'])(.*)\1$/, "$2");
  return { ...help, length: text.length };
}
