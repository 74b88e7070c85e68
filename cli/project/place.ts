/** Where a locked skill belongs in a project. */
import type { InstallScope, Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { machineOf } from "../targets/detect.ts";
import { findTarget } from "../targets/index.ts";
import type { InstallItem, Placement, Refusal } from "../targets/target.ts";
import type { LockedSkill } from "./lock.ts";

/** As the target would place it, as far as that can be told without its text. */
export function placeInProject(
  context: Context,
  folder: string,
  skill: Pick<LockedSkill, "installName" | "type" | "format">,
  target: Target,
): Placement | Refusal {
  const { installName, type, format } = skill;
  const item: InstallItem = { installName, name: installName, description: "", type, format, body: "" };
  const definition = findTarget(target);
  if (definition === undefined) return { refused: `this version of svc does not know ${target}` };
  const scope: InstallScope = "project";
  return definition.place(item, { ...machineOf(context), scope, projectDir: folder });
}
