import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = { bash, css, javascript, json, markdown, python, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Characters up to which a text is highlighted; longer ones are shown plainly. */
const maxLength = 200_000;
const endings: Record<string, string> = {
  cjs: "javascript",
  htm: "xml",
  html: "xml",
  js: "javascript",
  jsx: "javascript",
  md: "markdown",
  mdc: "markdown",
  mjs: "javascript",
  py: "python",
  sh: "bash",
  svg: "xml",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/** The language of a file by the ending of its name; undefined if it is not known. */
export function languageOf(path: string): string | undefined {
  const ending = path.split(".").at(-1)?.toLowerCase() ?? "";
  const name = endings[ending] ?? ending;
  return hljs.getLanguage(name) ? name : undefined;
}

export interface Piece {
  text: string;
  className: string | undefined;
}

const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#x27;": "'",
};

/** The lines of a text as pieces with classes; undefined if it is too long or in a language that is not known. */
export function highlightLines(text: string, language: string | undefined): Piece[][] | undefined {
  if (language === undefined || text.length > maxLength || !hljs.getLanguage(language)) return undefined;
  const markup = hljs.highlight(text, { language, ignoreIllegals: true }).value;
  const lines: Piece[][] = [[]];
  const open: string[] = [];
  // The markup consists of spans with a class and of escaped text, and nothing else.
  for (const [part, name] of markup.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (name !== undefined) open.push(name);
    else if (part === "</span>") open.pop();
    else {
      const plain = part.replace(/&(?:lt|gt|amp|quot|#x27);/g, (entity) => entities[entity] ?? entity);
      for (const [index, line] of plain.split("\n").entries()) {
        if (index > 0) lines.push([]);
        if (line !== "") lines.at(-1)!.push({ text: line, className: open.at(-1) });
      }
    }
  }
  return lines;
}
