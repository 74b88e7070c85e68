/** Help texts, generated from the shapes that parse the arguments, and wrapped to the width of the terminal. */
import { type FlagShape, type PositionalShape, globalFlags } from "./arguments/command-shape.ts";
import type { Command } from "./command.ts";
import type { Context } from "./context.ts";
import { commands } from "./registry.ts";
import { type CommandEntry, type CommandGroup, topics } from "./registry/entries.ts";
import { displayWidth } from "./terminal/table.ts";
import { version } from "./version.ts";

/** A term on the left and its description. */
type Row = readonly [term: string, text: string];

interface Section {
  title: string;
  rows: readonly Row[];
}

/** Maximum width of a line, for readability. */
const widest = 100;
/** In a narrower terminal, the description is below its term. */
const narrowestText = 28;
const indent = "  ";

const variables: readonly Row[] = [
  ["SVC_API_URL", "Address of the service, instead of the one of the login"],
  ["SVC_TOKEN", "API token, instead of the one of the login"],
];

export function rootHelp(context: Context): string {
  const listed = Object.entries(commands);
  return page(context, {
    summary: `svc ${version}: publish agent skills, and install them into your AI tools`,
    usage: "svc <command> [arguments] [flags]",
    sections: [
      ...topics.map((topic) => ({
        title: topic,
        rows: listed.filter(([, entry]) => entry.topic === topic).map(rowOf),
      })),
      { title: "Environment variables", rows: variables },
    ],
    endings: [
      "svc <command> --help shows its arguments, flags and examples.",
      "All of them take -o json (for programs) and --profile <name>.",
    ],
  });
}

export function groupHelp(context: Context, name: string, group: CommandGroup): string {
  const alone = group.default === undefined ? [] : [`svc ${name} alone is svc ${name} ${group.default}.`];
  return page(context, {
    summary: group.summary,
    usage: `svc ${name} ${group.default === undefined ? "<command>" : "[<command>]"} [arguments] [flags]`,
    sections: [{ title: "Commands", rows: Object.entries(group.commands).map(rowOf) }],
    endings: [...alone, `svc ${name} <command> --help shows its arguments, flags and examples.`],
  });
}

export function commandHelp(context: Context, name: string, summary: string, command: Command): string {
  const { positionals, flags, examples } = command;
  const given = Object.entries<PositionalShape>(positionals).map(([argument, shape]) => {
    const term = shape.multiple === true ? `${argument}...` : argument;
    return { term: shape.required === true ? `<${term}>` : `[${term}]`, text: shape.description };
  });
  return page(context, {
    summary,
    usage: ["svc", name, ...given.map(({ term }) => term), "[flags]"].join(" "),
    sections: [
      { title: "Arguments", rows: given.map(({ term, text }) => [term, text]) },
      { title: "Flags", rows: flagRows(flags) },
      { title: "Flags of every command", rows: flagRows(globalFlags) },
    ],
    examples,
  });
}

function rowOf([name, { summary }]: [string, CommandEntry | CommandGroup]): Row {
  return [name, summary];
}

/** `-t, --target <targets>`; without any short flags, their column is omitted. */
function flagRows(flags: Readonly<Record<string, FlagShape>>): Row[] {
  const all = Object.entries(flags);
  const hasLetters = all.some(([, { short }]) => short !== undefined);
  return all.map(([name, flag]) => {
    const letter = flag.short === undefined ? (hasLetters ? "    " : "") : `-${flag.short}, `;
    const hint = flag.hint ?? "value";
    const required = flag.choices?.length === 1 ? ` ${flag.choices[0]!}` : ` <${hint}>`;
    const value = { none: "", required, optional: ` [${hint}]` }[flag.value];
    return [`${letter}--${name}${value}`, flag.description];
  });
}

function page(
  context: Context,
  given: {
    summary: string;
    usage: string;
    sections: readonly Section[];
    examples?: readonly string[];
    endings?: readonly string[];
  },
): string {
  const { columns, paint } = context.output;
  // The last cell stays free: terminals differ in how they handle a line that fills it.
  const width = Math.min(widest, columns - 1);
  const sections = given.sections.filter(({ rows }) => rows.length > 0);
  const terms = sections.flatMap(({ rows }) => rows.map(([term]) => displayWidth(term)));
  const left = Math.max(0, ...terms);
  const blocks = [
    wrapped(given.summary, width).join("\n"),
    `${paint("bold", "Usage")}\n${indent}${wrapped(given.usage, width - 2 * indent.length).join(`\n${indent}${indent}`)}`,
    ...sections.map(({ title, rows }) =>
      [paint("bold", title), ...rows.map((row) => rowText(row, left, width))].join("\n"),
    ),
    ...(given.examples === undefined || given.examples.length === 0
      ? []
      : [[paint("bold", "Examples"), ...given.examples.map((example) => indent + example)].join("\n")]),
    ...(given.endings === undefined
      ? []
      : [given.endings.flatMap((ending) => wrapped(ending, width)).join("\n")]),
  ];
  return blocks.join("\n\n");
}

function rowText([term, text]: Row, left: number, width: number): string {
  const column = indent.length + left + 2;
  if (width - column < narrowestText) {
    const lines = wrapped(text, width - 2 * indent.length).map((line) => indent + indent + line);
    return [indent + term, ...lines].join("\n");
  }
  const [first = "", ...rest] = wrapped(text, width - column);
  const head = `${indent}${term}${" ".repeat(left - displayWidth(term) + 2)}${first}`;
  return [head, ...rest.map((line) => " ".repeat(column) + line)].join("\n");
}

/** Wraps at spaces; a word that is longer than a line gets a line of its own. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
