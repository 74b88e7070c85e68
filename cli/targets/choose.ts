/** The `--target` flag. */
import { type Target, targets } from "../../contract/vocabulary.ts";
import type { FlagShape } from "../command-shape.ts";
import { invalidArgument } from "../errors.ts";
import { suggest } from "../../contract/suggest.ts";

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
  const names = given.flatMap((text) => text.split(",")).map((text) => text.trim());
  for (const name of names) {
    if ((targets as readonly string[]).includes(name)) continue;
    const meant = suggest(name, targets);
    throw invalidArgument(
      "--target",
      `"${name}" is not a target. Use ${targets.join(", ")}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    );
  }
  return [...new Set(names)] as Target[];
}
