/** Checks of the tools on this machine: whether skills can be written to their folders. */
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { findBlockingFile } from "../install/plan/destination.ts";
import { isInstalled, machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";
import type { InstallItem, Placement, TargetDefinition } from "../targets/target.ts";
import { type Check, failed, ok, warning } from "./check.ts";

/** The folder of a skill for all projects shows which folders a tool needs. */
const sample: InstallItem = {
  installName: "svc-doctor",
  name: "svc doctor",
  description: "",
  type: "skill",
  format: "package",
  body: "",
};

export async function checkTools(context: Context): Promise<Check[]> {
  const machine = machineOf(context);
  const found: TargetDefinition[] = [];
  for (const definition of targetDefinitions)
    if (await isInstalled(definition, machine)) found.push(definition);
  if (found.length === 0)
    return [
      warning(
        "tools",
        "No supported AI tool was found on this machine.",
        "Select tools with svc install --target.",
      ),
    ];
  return Promise.all(found.map((definition) => checkTool(context, definition)));
}

async function checkTool(context: Context, { name, label, placementOf }: TargetDefinition): Promise<Check> {
  const check = `tool-${name}`;
  const location = { ...machineOf(context), scope: "global" } as const;
  const placement = [sample, { ...sample, format: "markdown" } as const]
    .map((item) => placementOf(item, location))
    .find((one): one is Placement => !("refused" in one));
  if (placement === undefined) return ok(check, `${label} takes skills in projects only.`);
  const remedy = "Make the folder writable for you, or install for other tools (--target).";
  const blocking = await findBlockingFile(placement.path);
  if (blocking !== undefined)
    return failed(check, `${label}: ${blocking}.`, `Rename it, or use other tools (--target).`);
  const folder = await nearestFolder(dirname(placement.path));
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return ok(check, `${label}: ${folder} is writable.`);
  } catch (error) {
    return failed(check, `${label}: ${messageOf(error)}.`, remedy);
  }
}

/** The folder, or the nearest parent folder that exists. */
async function nearestFolder(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const info = await stat(at).catch(() => undefined);
    if (info !== undefined || dirname(at) === at) return at;
  }
}
