/** Whether a planned location must stay unchanged. */
import { stat } from "node:fs/promises";
import { hasCode } from "../../errors.ts";
import { inspectRecord } from "../records/record.ts";
import type { PlannedWrite } from "./placement.ts";

/** The reason why a location stays unchanged: its project no longer exists, or a user edited it. */
export async function reasonToLeave(
  plan: PlannedWrite,
  installName: string,
  cache: string,
  force: boolean,
): Promise<{ outcome: "gone" | "edited"; reason: string } | undefined> {
  const { replaces, sharers } = plan;
  if (replaces?.projectDir !== undefined && !(await isFolder(replaces.projectDir)))
    return { outcome: "gone", reason: `${replaces.projectDir} is no longer there` };
  if (force) return undefined;
  const known = [...(replaces === undefined ? [] : [replaces]), ...sharers.map(({ record }) => record)];
  for (const record of known)
    if ((await inspectRecord(record, installName, cache)) === "edited")
      return {
        outcome: "edited",
        reason: `${record.path} was edited after svc installed it; use --force to overwrite it`,
      };
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
