/** The targets that this version installs into. */
import type { Target } from "../../contract/vocabulary.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import type { TargetDefinition } from "./target.ts";

const definitions: readonly TargetDefinition[] = [cursor, claude, codex];

export const targetDefinitions: ReadonlyMap<Target, TargetDefinition> = new Map(
  definitions.map((definition) => [definition.name, definition]),
);
