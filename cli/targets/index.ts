/** Every target by its name. A name of `contract/vocabulary.ts` without a definition does not compile. */
import type { Target } from "../../contract/vocabulary.ts";
import { aider } from "./aider.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { opencode } from "./opencode.ts";
import type { TargetDefinition } from "./target.ts";
import { windsurf } from "./windsurf.ts";

const definitions: Readonly<Record<Target, TargetDefinition>> = {
  cursor,
  claude,
  codex,
  windsurf,
  cline,
  copilot,
  opencode,
  aider,
};

/** In display order. */
export const targetDefinitions: readonly TargetDefinition[] = Object.values(definitions);

/** Undefined for a name that only a newer version supports. */
export function findTarget(name: string): TargetDefinition | undefined {
  return targetDefinitions.find((definition) => definition.name === name);
}
