/**
 * `svc.json`: what a project wants. People write it and svc adds to it, so its order, its indentation and whatever
 * else it holds stay. Pure.
 */
import semver from "semver";
import { type Target, targets as targetNames } from "../../contract/vocabulary.ts";
import { CliError, type FailureDetails } from "../errors.ts";
import { parsePin, unpinned } from "../pins.ts";

export interface Wish {
  /** The pin, as behind `@` in `svc install`. */
  range: string;
  /** Where the skill is to be, if not where the others are. */
  targets?: Target[];
}

export interface ProjectManifest {
  /** Where skills are to be that say nothing else; undefined leaves it to the lock. */
  targets?: Target[];
  /** By what names the skill: `org/slug`, slug, public id or share URL. */
  skills: Map<string, Wish>;
}

const refPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?$/;

/** Whether a text can name a skill in these files; a name that means something to programs cannot. */
export function isSkillRef(ref: string): boolean {
  if (/^https?:\/\/[\x21-\x7e]{1,500}$/.test(ref)) return URL.canParse(ref);
  return refPattern.test(ref);
}

/** A file of a project that cannot be used; nothing has been changed. */
export function unusable(path: string, why: string): CliError {
  const details: FailureDetails = { kind: "path", ref: path, flag: "--project" };
  return new CliError("E_INVALID_ARGUMENT", `${path} ${why}.`, details);
}

export function conflicted(text: string): boolean {
  return /^(?:<{7}|>{7}|\|{7}) /m.test(text);
}

/** Throws `E_INVALID_ARGUMENT` that says what is wrong where. */
export function parseManifest(text: string, path: string): ProjectManifest {
  const value = parseObject(text, path);
  const skills = value["skills"] ?? {};
  if (!isObject(skills)) throw unusable(path, 'has no "skills" from names to pins');
  const defaults = value["targets"] === undefined ? undefined : readTargets(value["targets"], path, "");
  const wishes = new Map<string, Wish>();
  for (const [ref, wish] of Object.entries(skills)) {
    if (!isSkillRef(ref))
      throw unusable(path, `names ${JSON.stringify(ref.slice(0, 100))}, which is no skill`);
    wishes.set(ref, readWish(wish, path, ref));
  }
  return { ...(defaults === undefined ? {} : { targets: defaults }), skills: wishes };
}

function readWish(wish: unknown, path: string, ref: string): Wish {
  if (typeof wish === "string") return { range: readRange(wish, path, ref) };
  if (!isObject(wish)) throw unusable(path, `has neither a pin nor an object for ${ref}`);
  const { version = unpinned, targets } = wish;
  if (typeof version !== "string") throw unusable(path, `has a "version" for ${ref} that is no text`);
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
    throw unusable(path, `has "targets"${of} that are no list of ${targetNames.join(", ")}`);
  return inOrder(new Set(value));
}

/** Targets in the order of the closed list. */
export function inOrder(chosen: ReadonlySet<Target>): Target[] {
  return targetNames.filter((name) => chosen.has(name));
}

/** Where a skill is to be; undefined when the manifest does not say. */
export function wantedTargets(manifest: ProjectManifest | undefined, ref: string): Target[] | undefined {
  return manifest?.skills.get(ref)?.targets ?? manifest?.targets;
}

/** Whether a version is one that the pin stands for; which of them is newest is not asked. */
export function satisfies(version: string, range: string): boolean {
  if (range === unpinned) return true;
  return semver.valid(range) === null ? semver.satisfies(version, range) : semver.eq(version, range);
}

export const emptyManifest = '{\n  "skills": {}\n}\n';

/** The file's text with a wish set, or without it; the same text when nothing changes. */
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
    // Where the names are in order they stay so.
    const next = refs.findIndex((other) => other > ref);
    refs.splice(next === -1 ? refs.length : next, 0, ref);
  }
  const skills = Object.fromEntries(
    refs.map((ref) => [ref, isKept(ref) ? given[ref] : writtenWish(after.skills.get(ref)!, given[ref])]),
  );
  const changed = { ...value, skills };
  if (after.targets !== undefined && JSON.stringify(after.targets) !== JSON.stringify(before.targets))
    Object.assign(changed, { targets: after.targets });
  if (JSON.stringify(changed) === JSON.stringify(value)) return text;
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const printed = `${JSON.stringify(changed, undefined, indent)}\n`;
  return text.includes("\r\n") ? printed.replaceAll("\n", "\r\n") : printed;
}

/** In the short form where it is enough; what else somebody wrote into the long one stays. */
function writtenWish({ range, targets }: Wish, given: unknown): unknown {
  if (!isObject(given)) return targets === undefined ? range : { version: range, targets };
  const { targets: _, ...rest } = given;
  return { ...rest, version: range, ...(targets === undefined ? {} : { targets }) };
}

export function parseObject(text: string, path: string): Record<string, unknown> {
  if (conflicted(text)) throw unusable(path, "holds a merge conflict: settle it first");
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw unusable(path, `is not JSON: ${(error as Error).message.split("\n")[0]}`);
  }
  if (!isObject(value)) throw unusable(path, "is no JSON object");
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
