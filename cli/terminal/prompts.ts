/** Prompts. Loaded when one is shown; without a terminal, a prompt is an error. */
import type { SelectOptions } from "@clack/prompts";
import type { Context } from "../context.ts";
import { Cancelled, interactionRequired } from "../errors.ts";
import { plainLine } from "./table.ts";

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string;
}

/** Throws `E_INTERACTION_REQUIRED` with the flag to pass, unless a person can answer. */
export function requireInteraction(context: Context, flag: string, message: string): void {
  if (!context.interactive) throw interactionRequired(flag, message);
}

export async function askOne<T>(message: string, choices: readonly Choice<T>[]): Promise<T> {
  const { select } = await import("@clack/prompts");
  return answered<T>(await select<T>({ message, options: options(choices), maxItems: 12 }));
}

export async function askSeveral<T>(
  message: string,
  choices: readonly Choice<T>[],
  initialValues: T[],
): Promise<T[]> {
  const { multiselect } = await import("@clack/prompts");
  return answered<T[]>(
    await multiselect<T>({ message, options: options(choices), initialValues, required: true }),
  );
}

/** A list with a search field. */
export async function askFromList<T>(message: string, choices: readonly Choice<T>[]): Promise<T> {
  const { autocomplete } = await import("@clack/prompts");
  return answered<T>(await autocomplete<T>({ message, options: options(choices), maxItems: 12 }));
}

export async function askText(message: string, placeholder: string): Promise<string> {
  const { text } = await import("@clack/prompts");
  return answered<string>(
    await text({
      message,
      placeholder,
      validate: (value) => (value?.trim() ? undefined : "Type something."),
    }),
  );
}

/** A line that is not shown while it is typed. `problemOf` returns what is wrong with it. */
export async function askHidden(
  message: string,
  problemOf: (value: string) => string | undefined,
): Promise<string> {
  const { password } = await import("@clack/prompts");
  const validate = (value: string | undefined) => problemOf(value ?? "");
  return answered<string | undefined>(await password({ message: plainLine(message), validate })) ?? "";
}

/** A line that may be empty. */
export async function askLine(
  message: string,
  problemOf: (value: string) => string | undefined,
): Promise<string> {
  const { text } = await import("@clack/prompts");
  const validate = (value: string | undefined) => problemOf(value ?? "");
  return answered<string | undefined>(await text({ message: plainLine(message), validate })) ?? "";
}

/** Returns after a yes; anything else ends the command. */
export async function askYes(message: string): Promise<void> {
  if (!(await askWhether(message))) throw new Cancelled("declined");
}

/** Asks a question whose answer may be no. */
export async function askWhether(message: string): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  return answered<boolean>(await confirm({ message: plainLine(message), initialValue: false }));
}

type ClackOptions<T> = SelectOptions<T>["options"];

function options<T>(choices: readonly Choice<T>[]): ClackOptions<T> {
  return choices.map(({ value, label, hint }) => ({
    value,
    label: plainLine(label),
    hint: hint === undefined ? undefined : plainLine(hint),
  })) as ClackOptions<T>;
}

function answered<T>(answer: T | symbol): T {
  if (typeof answer === "symbol") throw new Cancelled("cancelled");
  return answer;
}
