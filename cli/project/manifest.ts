/**
 * `svc.json`: the skills that a project requests. People edit it too, so svc keeps its order, its indentation and
 * unknown fields. Pure.
 */
import semver from "semver";
import { type Target, targets as targetNames } from "../../contract/vocabulary.ts";
import { CliError, type FailureDetails } from "../errors.ts";
import { parsePin, unpinned } from "../pins.ts";

export interface ManifestRequest {
  /** The pin, as after `@` in `svc install`. */
  range: string;
  /** Targets of the skill, if they differ from the default. */
  targets?: Target[];
}

export interface ProjectManifest {
  /** Default targets; if undefined, the lock decides. */
  targets?: Target[];
  /** By reference: `org/slug`, slug, public id or share URL. */
  skills: Map<string, ManifestRequest>;
}

const refPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?$/;

/** Whether a text is a valid reference in these files. Names with a meaning in JavaScript are refused. */
export function isSkillRef(ref: string): boolean {
  if (/^https?:\/\/[\x21-\x7e]{1,500}$/.test(ref)) return URL.canParse(ref);
  return refPattern.test(ref);
}

/** The error for an unusable file of a project; nothing was changed. */
export function unusable(path: string, why: string): CliError {
  const details: FailureDetails = { kind: "path", ref: path, flag: "--project" };
  return new CliError("E_INVALID_ARGUMENT", `${path} ${why}.`, details);
}

export function conflicted(text: string): boolean {
  return /^(?:<{7}|>{7}|\|{7}) /m.test(text);
}

/** Throws `E_INVALID_ARGUMENT` with the problem and its position. */
export function parseManifest(text: string, path: string): ProjectManifest {
  const value = parseObject(text, path);
  const skills = value["skills"] ?? {};
  if (!isObject(skills)) throw unusable(path, 'has no "skills" from names to pins');
  const defaults = value["targets"] === undefined ? undefined : readTargets(value["targets"], path, "");
  const requests = new Map<string, ManifestRequest>();
  for (const [ref, request] of Object.entries(skills)) {
    if (!isSkillRef(ref))
      throw unusable(
        path,
        `names ${JSON.stringify(ref.slice(0, 100))}, which is not a valid reference to a skill`,
      );
    requests.set(ref, readRequest(request, path, ref));
  }
  return { ...(defaults === undefined ? {} : { targets: defaults }), skills: requests };
}

function readRequest(request: unknown, path: string, ref: string): ManifestRequest {
  if (typeof request === "string") return { range: readRange(request, path, ref) };
  if (!isObject(request)) throw unusable(path, `has neither a pin nor an object for ${ref}`);
  const { version = unpinned, targets } = request;
  if (typeof version !== "string") throw unusable(path, `has a "version" for ${ref} that is not a string`);
  const range = readRange(version, path, ref);
  return targets === undefined ? { range } : { range, targets: readTargets(targets, path, ` for ${ref}`) };
}

function readRange(text: string, path: string, ref: string): string {
  try {
    return parsePin(text, "--project");
  } catch (error) {
    throw unusable(path, `pins ${ref} to ${(error as Error).message.replace(/\.$/, "")}`);
  }
}

function readTargets(value: unknown, path: string, of: string): Target[] {
  const known = (name: unknown): name is Target => (targetNames as readonly unknown[]).includes(name);
  if (!Array.isArray(value) || !value.every(known))
    throw unusable(path, `has "targets"${of} that is not a list of ${targetNames.join(", ")}`);
  return inOrder(new Set(value));
}

/** Targets in the order of the closed list. */
export function inOrder(chosen: ReadonlySet<Target>): Target[] {
  return targetNames.filter((name) => chosen.has(name));
}

/** Targets of a skill; undefined if the manifest has none. */
export function wantedTargets(manifest: ProjectManifest | undefined, ref: string): Target[] | undefined {
  return manifest?.skills.get(ref)?.targets ?? manifest?.targets;
}

/** Whether a version satisfies the pin; it need not be the newest. */
export function satisfies(version: string, range: string): boolean {
  if (range === unpinned) return true;
  return semver.valid(range) === null ? semver.satisfies(version, range) : semver.eq(version, range);
}

export const emptyManifest = '{\n  "skills": {}\n}\n';

/** The file's text with a request set or removed; the same text if nothing changes. */
export function editManifest(text: string, path: string, edit: (manifest: ProjectManifest) => void): string {
  const before = parseManifest(text, path);
  const after = parseManifest(text, path);
  edit(after);
  const value = parseObject(text, path);
  const given = isObject(value["skills"]) ? value["skills"] : {};
  const isKept = (ref: string) => {
    const [old, fresh] = [before.skills.get(ref), after.skills.get(ref)];
    return old !== undefined && JSON.stringify(old) === JSON.stringify(fresh);
  };
  const refs = Object.keys(given).filter((ref) => after.skills.has(ref));
  for (const ref of after.skills.keys()) {
    if (refs.includes(ref)) continue;
    // A sorted list stays sorted.
    const next = refs.findIndex((other) => other > ref);
    refs.splice(next === -1 ? refs.length : next, 0, ref);
  }
  const skills = Object.fromEntries(
    refs.map((ref) => [ref, isKept(ref) ? given[ref] : formatRequest(after.skills.get(ref)!, given[ref])]),
  );
  const changed = { ...value, skills };
  if (after.targets !== undefined && JSON.stringify(after.targets) !== JSON.stringify(before.targets))
    Object.assign(changed, { targets: after.targets });
  return JSON.stringify(changed) === JSON.stringify(value) ? text : printLike(text, changed);
}

/** The file's text with a skill renamed, at the same position and with the same value. */
export function renameRef(text: string, path: string, from: string, to: string): string {
  const value = parseObject(text, path);
  const given = isObject(value["skills"]) ? value["skills"] : {};
  const skills = Object.entries(given).map(([ref, request]) => [ref === from ? to : ref, request]);
  return printLike(text, { ...value, skills: Object.fromEntries(skills) });
}

/** A value as JSON, with the indentation and line endings of the file's former text. */
function printLike(text: string, value: unknown): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const printed = `${JSON.stringify(value, undefined, indent)}\n`;
  return text.includes("\r\n") ? printed.replaceAll("\n", "\r\n") : printed;
}

/** The short form if it is sufficient; unknown fields of the long form stay. */
function formatRequest({ range, targets }: ManifestRequest, given: unknown): unknown {
  if (!isObject(given)) return targets === undefined ? range : { version: range, targets };
  const { targets: _, ...rest } = given;
  return { ...rest, version: range, ...(targets === undefined ? {} : { targets }) };
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
