/**
 * Steps for identity providers, read from the guides in `docs/guides/`, so that the dashboard shows the same ones: a
 * section for each provider, a list for each protocol, and below a step the fields to fill in.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface GuideStep {
  /** Markdown with `**bold**`, `_italic_` and code only. */
  text: string;
  /** Fields by their names at the provider. `{name}` in a value stands for a value of the service. */
  fields: { name: string; value: string }[];
}

/** Lists by provider and protocol; `steps` if the guide has only one protocol. */
export type Guide = Record<string, Record<string, GuideStep[]>>;

/** Throws for a section with anything but lists of steps. */
export function readGuide(markdown: string): Guide {
  const guide: Guide = {};
  for (const section of markdown.split(/^### /m).slice(1)) {
    const [own = ""] = section.split(/\n##? /);
    const [title = "", ...blocks] = own.trim().split(/\n{2,}/);
    const lists: Guide[string] = (guide[title] = {});
    let protocol = "steps";
    for (const block of blocks) {
      const named = /^With (.+):$/.exec(block);
      if (named) protocol = named[1]!;
      else if (block.startsWith("1. "))
        lists[protocol] = block
          .split(/^\d+\. /m)
          .slice(1)
          .map(readStep);
      else throw new Error(`The section "${title}" of a guide has more than lists of steps: ${block}`);
    }
  }
  return guide;
}

function readStep(item: string): GuideStep {
  const [text = "", ...fields] = item.split(/^ {3}- /m).map((part) => part.replace(/\s+/g, " ").trim());
  return { text, fields: fields.map(readField) };
}

function readField(line: string): GuideStep["fields"][number] {
  const [, name, value] = /^_(.+)_: `(.+)`$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`Not a field with its value: ${line}`);
  return { name, value };
}

/** Writes the module with the guides that the dashboard imports. */
export function writeGuides(root: string): void {
  const printed = ["sso", "scim"].map((name) => {
    const guide = readGuide(readFileSync(path.join(root, "docs", "guides", `${name}.md`), "utf8"));
    return `export const ${name} = ${JSON.stringify(guide, undefined, 2)};\n`;
  });
  const folder = path.join(root, "web", "generated");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "guides.ts"), printed.join(""));
}
