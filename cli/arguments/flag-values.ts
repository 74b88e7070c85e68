/** Checks the values of flags and arguments by their declared forms, before a command runs. */
import { isOneLine } from "../../contract/checks/unsafe-characters.ts";
import { invalidArgument } from "../errors.ts";

/** A form with its own rules; a value without one is any text that is not blank. */
export type ValueForm = "organization" | "line" | "folder";

export interface ValueShape {
  form?: ValueForm;
  /** Maximum number of characters. */
  max?: number;
  /** An empty value has a meaning, as in `--tags=`. */
  mayBeEmpty?: true;
}

const folderNameMax = 100;

/** The problem of a value, as the end of a sentence. */
const problems: Record<ValueForm, (value: string) => string | undefined> = {
  organization: (value) =>
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(value.trim())
      ? undefined
      : "is not an organization: use its slug, such as acme, or its id",
  line: (value) => (isOneLine(value) ? undefined : "must be one line without control characters"),
  folder(value) {
    const control = problems.line(value);
    if (control !== undefined) return control;
    if (/^\/+$/.test(value.trim())) return undefined;
    const names = value
      .trim()
      .replace(/^\/|\/$/g, "")
      .split("/");
    if (names.some((name) => name.trim() === ""))
      return "has a folder without a name: use a path such as ops/reviews";
    if (names.some((name) => name === "." || name === ".."))
      return "has . or .. in it: use a path from the root, such as ops/reviews";
    return names.some((name) => name.length > folderNameMax)
      ? `has a folder name over ${folderNameMax} characters`
      : undefined;
  },
};

/** `argument`: the flag or argument in the error's details; `spelled`: as the message names it. */
export function checkValue(argument: string, spelled: string, value: string, shape: ValueShape): void {
  const { form, max, mayBeEmpty } = shape;
  if (value.trim() === "") {
    if (mayBeEmpty === true) return;
    throw invalidArgument(argument, `${spelled} has an empty value: give one, or leave ${spelled} out.`);
  }
  const length = value.trim().length;
  if (max !== undefined && length > max)
    throw invalidArgument(argument, `${spelled} takes at most ${max} characters, and this has ${length}.`);
  const problem = form === undefined ? undefined : problems[form](value);
  if (problem !== undefined) throw invalidArgument(argument, `${spelled}: "${shortened(value)}" ${problem}.`);
}

const shortened = (value: string) => (value.length > 80 ? `${value.slice(0, 80)}…` : value);
