/** The `--target` flag. */
import { suggest } from "../../contract/text/suggest.ts";
import { type Target, targets } from "../../contract/vocabulary.ts";
import type { FlagShape } from "../arguments/command-shape.ts";
import { invalidArgument } from "../errors.ts";

export const targetFlag = {
  short: "t",
  value: "required",
  multiple: true,
  hint: "targets",
  completes: "target",
  description: `Comma-separated: ${targets.join(", ")}`,
} as const satisfies FlagShape;

/** The targets of `-t a,b -t c`, each once. Throws for unknown names. */
export function parseTargets(given: readonly string[]): Target[] {
  return parseNames("--target", given, targets);
}

/** The names of a flag that takes several, each once. Throws for unknown ones. */
export function parseNames<T extends string>(
  flag: keyof typeof kinds,
  given: readonly string[],
  known: readonly T[],
): T[] {
  const names = given.flatMap((text) => text.split(",")).map((text) => text.trim());
  const isKnown = (name: string): name is T => (known as readonly string[]).includes(name);
  const unknown = names.find((name) => !isKnown(name));
  if (unknown === undefined) return [...new Set(names.filter(isKnown))];
  const meant = suggest(unknown, known);
  throw invalidArgument(
    flag,
    `"${unknown}" is not ${kinds[flag]}. Use ${known.join(", ")}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
  );
}

const kinds = { "--target": "a target", "--also": "a further location" } as const;
