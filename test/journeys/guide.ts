/** Commands in the guides, so that tests execute them as they are written there. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../support/root.ts";

function sectionOf(guide: string, title: string): string {
  const text = readFileSync(path.join(root, "docs/guides", guide), "utf8");
  const own = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (own === undefined) throw new Error(`The guide ${guide} has no section "${title}".`);
  return own;
}

/** Scripts in a section of a guide, each with its lines. */
export function scriptsOf(guide: string, section: string): string[] {
  return Array.from(sectionOf(guide, section).matchAll(/^```sh\n(.*?)^```$/gms), ([, script]) => script!);
}

export interface Command {
  line: string;
  output: string;
}

/** Commands in a section of a guide, in order, each with the output that the guide shows. */
export function commandsOf(guide: string, section: string): Command[] {
  const commands: Command[] = [];
  for (const [, indent, session] of sectionOf(guide, section).matchAll(/^( *)```\n(.*?)^ *```$/gms))
    for (const indented of session!.split("\n")) {
      const text = indented.slice(indent!.length);
      if (text.startsWith("$ ")) commands.push({ line: text.slice(2), output: "" });
      else if (text !== "") commands.at(-1)!.output += `${text}\n`;
    }
  return commands;
}
