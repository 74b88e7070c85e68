/** The JSON of `svc.json` and `svc.lock`, which come from a repository. */
import { CliError, type FailureDetails } from "../errors.ts";

/** The error for an unusable file of a project; nothing was changed. */
export function unusable(path: string, why: string): CliError {
  const details: FailureDetails = { kind: "path", ref: path, flag: "--project" };
  return new CliError("E_INVALID_ARGUMENT", `${path} ${why}.`, details);
}

function conflicted(text: string): boolean {
  return /^(?:<{7}|>{7}|\|{7}) /m.test(text);
}

export function parseObject(text: string, path: string): Record<string, unknown> {
  if (conflicted(text)) throw unusable(path, "has a merge conflict: resolve it first");
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw unusable(path, `is not JSON: ${(error as Error).message.split("\n")[0]}`);
  }
  if (!isObject(value)) throw unusable(path, "is not a JSON object");
  if (nestsBeyond(value, deepestLevels)) throw unusable(path, `is nested over ${deepestLevels} levels deep`);
  return value;
}

/** Serializing recurses once per level, and unknown fields of a manifest are serialized too. */
const deepestLevels = 100;

function nestsBeyond(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
