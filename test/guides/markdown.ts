/** Commands in the documents, so that tests execute them as they are written there. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../support/root.ts";

export interface Command {
  line: string;
  output: string;
}

export interface Block {
  /** Relative to the checkout. */
  file: string;
  text: string;
  commands: Command[];
}

/** Text between fences, without the indentation of a list. */
function fencedIn(markdown: string): { language: string; text: string }[] {
  return Array.from(
    markdown.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms),
    ([, indent = "", language = "", text = ""]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
}

/** Commands of a session with the output below each; a text without prompts is one command. */
function commandsIn(text: string): Command[] {
  if (!text.startsWith("$ ")) return [{ line: text, output: "" }];
  const commands: Command[] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("$ ")) commands.push({ line: line.slice(2), output: "" });
    else if (isOpen) commands.at(-1)!.line += `\n${line}`;
    else if (line !== "") commands.at(-1)!.output += `${line}\n`;
    // A command goes on after a backslash, and within quotes.
    const quotes = commands.at(-1)!.line.match(/'/g)?.length ?? 0;
    isOpen = commands.at(-1)!.output === "" && (line.endsWith("\\") || quotes % 2 === 1);
  }
  return commands;
}

const documents = () => [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .toSorted(),
];

/** All blocks of commands in README, CONTRIBUTING and docs, in their order. */
export function commandBlocks(): Block[] {
  return documents().flatMap((file) =>
    fencedIn(readFileSync(path.join(root, file), "utf8"))
      .filter(({ language, text }) => /^(sh|bash|console)$/.test(language) || /^\$ /m.test(text))
      .map(({ text }) => ({ file, text, commands: commandsIn(text) })),
  );
}

/** First words of texts between fences that are not marked as commands. */
export function otherBlocks(): string[] {
  return documents()
    .flatMap((file) => fencedIn(readFileSync(path.join(root, file), "utf8")))
    .filter(({ language, text }) => language === "" && !/^\$ /m.test(text))
    .map(({ text }) => text.split(/\s/)[0]!);
}

function sectionOf(guide: string, title: string): string {
  const text = readFileSync(path.join(root, "docs/guides", guide), "utf8");
  const own = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (own === undefined) throw new Error(`The guide ${guide} has no section "${title}".`);
  return own;
}

/** Scripts in a section of a guide, each with its lines. */
export const scriptsOf = (guide: string, section: string): string[] => samplesOf(guide, section, "sh");

/** Commands in a section of a guide, in order, each with the output that the guide shows. */
export function commandsOf(guide: string, section: string): Command[] {
  return fencedIn(sectionOf(guide, section))
    .filter(({ text }) => text.startsWith("$ "))
    .flatMap(({ text }) => commandsIn(text));
}

/** Texts of a language in a section of a guide. */
export function samplesOf(guide: string, section: string, inLanguage: string): string[] {
  return fencedIn(sectionOf(guide, section))
    .filter(({ language }) => language === inLanguage)
    .map(({ text }) => text);
}
