/** Questions to a person. Loaded when one is asked; a question that nobody can answer is an error instead. */
import type { SelectOptions } from "@clack/prompts";
import type { Context } from "./context.ts";
import { Cancelled, interactionRequired } from "./errors.ts";
import { plainLine } from "./table.ts";

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string;
}

/** Throws `E_INTERACTION_REQUIRED` with the flag that answers the question, unless a person is there. */
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

/** A list to type into. */
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

/** A yes, or the end of the command. */
export async function askYes(message: string): Promise<void> {
  const { confirm } = await import("@clack/prompts");
  if (!answered<boolean>(await confirm({ message: plainLine(message), initialValue: false })))
    throw new Cancelled("declined");
}

type ClackOptions<T> = SelectOptions<T>["options"];

function options<T>(choices: readonly Choice<T>[]): ClackOptions<T> {
  return choices.map(({ value, label, hint }) => ({
    value,
    label: plainLine(label),
    ...(hint === undefined ? {} : { hint: plainLine(hint) }),
  })) as ClackOptions<T>;
}

function answered<T>(answer: T | symbol): T {
  if (typeof answer === "symbol") throw new Cancelled("cancelled");
  return answer;
}
