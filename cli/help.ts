/** Help texts, from the same shapes that the arguments are read by. */
import { stripVTControlCharacters } from "node:util";
import { renderUsage } from "citty";
import { type Command, toCitty } from "./command.ts";
import type { Context } from "./context.ts";
import { type CommandGroup, commands } from "./registry.ts";
import { version } from "./version.ts";

const root = {
  meta: { name: "svc", version, description: "Publish agent skills and install them anywhere" },
};

export async function rootHelp(context: Context): Promise<string> {
  const subCommands = Object.fromEntries(
    Object.entries(commands).map(([name, { summary }]) => [name, { meta: { name, description: summary } }]),
  );
  const usage = await renderUsage({ ...root, subCommands });
  return tone(
    context,
    `${usage}\n\nEvery command takes -o json (machine-readable output), --profile <name> and --help.`,
  );
}

export async function groupHelp(context: Context, name: string, group: CommandGroup): Promise<string> {
  const subCommands = Object.fromEntries(
    Object.entries(group.commands).map(([sub, { summary }]) => [
      sub,
      { meta: { name: sub, description: summary } },
    ]),
  );
  const usage = await renderUsage({ meta: { name, description: group.summary }, subCommands }, root);
  if (group.default === undefined) return tone(context, usage);
  return tone(context, `${usage}\n\nsvc ${name} alone is svc ${name} ${group.default}.`);
}

export async function commandHelp(context: Context, command: Command): Promise<string> {
  const usage = await renderUsage(toCitty(command), root);
  const examples = command.examples.map((example) => `  ${example}`).join("\n");
  return tone(context, `${usage}\n${context.output.paint(["bold", "underline"], "EXAMPLES")}\n\n${examples}`);
}

/** citty colours by its own rules; ours decide. */
function tone(context: Context, text: string): string {
  const coloured = context.output.paint("bold", "x") !== "x";
  return coloured ? text : stripVTControlCharacters(text);
}
