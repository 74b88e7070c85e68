import { mcpTargets } from "../../contract/vocabulary.ts";
import type { FlagShape } from "../arguments/command-shape.ts";

export const mcpTargetFlag = {
  short: "t",
  value: "required",
  multiple: true,
  hint: "targets",
  completes: "mcpTarget",
  description: `Comma-separated: ${mcpTargets.join(", ")} (default: all that are installed)`,
} as const satisfies FlagShape;
