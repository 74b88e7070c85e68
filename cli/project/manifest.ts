/**
 * `svc.json`: the skills that a project requests. People edit it too, so svc keeps its order, its indentation and
 * unknown fields. Pure.
 */
import semver from "semver";
import { isChannelName } from "../../contract/names/channel-name.ts";
import { builderPattern } from "../../contract/provenance/statement.ts";
import { type Target, targets as targetNames } from "../../contract/vocabulary.ts";
import { parsePin, unpinned } from "../arguments/pins.ts";
import { alsoLocations } from "../targets/locate.ts";
import { isObject, parseObject, unusable } from "./json-file.ts";

export interface ManifestRequest {
  /** The pin, as after `@` in `svc install`. */
  range: string;
  /** Targets of the skill, if they differ from the default; so are the other settings. */
  targets?: Target[];
  /** Whether tools that read the shared folder have the skill there. */
  shared?: boolean;
  /** Names of further locations. */
  also?: string[];
}

export interface ProjectManifest {
  /** Default targets; if undefined, the lock decides. */
  targets?: Target[];
  shared?: boolean;
  also?: string[];
  /** Builders of which one has to have published each version (`svc verify --provenance`). */
  builders?: string[];
  /** By reference: `org/slug`, slug, public id or share URL. */
  skills: Map<string, ManifestRequest>;
}

const refPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?$/;

/** Whether a text is a valid reference in these files. Names with a meaning in JavaScript are refused. */
export function isSkillRef(ref: string): boolean {
  if (/^https?:\/\/[\x21-\x7e]{1,500}$/.test(ref)) return URL.canParse(ref);
  return refPattern.test(ref);
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
  const { shared, also } = readLocations(value, path, "");
  return { targets: defaults, shared, also, builders: readBuilders(value, path), skills: requests };
}

function readBuilders({ provenance }: Record<string, unknown>, path: string): string[] | undefined {
  if (provenance === undefined) return undefined;
  const builder = isObject(provenance) ? provenance["builder"] : undefined;
  const list: unknown[] = Array.isArray(builder) ? builder : [builder];
  const isPattern = (one: unknown): one is string =>
    typeof one === "string" && builderPattern(one) !== undefined;
  if (list.length === 0 || !list.every(isPattern))
    throw unusable(path, 'has a "provenance" without a "builder" such as "github:acme/*"');
  return list;
}

function readRequest(request: unknown, path: string, ref: string): ManifestRequest {
  if (typeof request === "string") return { range: readRange(request, path, ref) };
  if (!isObject(request)) throw unusable(path, `has neither a pin nor an object for ${ref}`);
  const { version = unpinned, targets } = request;
  if (typeof version !== "string") throw unusable(path, `has a "version" for ${ref} that is not a string`);
  const range = readRange(version, path, ref);
  const of = ` for ${ref}`;
  return {
    range,
    targets: targets === undefined ? undefined : readTargets(targets, path, of),
    ...readLocations(request, path, of),
  };
}

function readLocations(
  { shared, also }: Record<string, unknown>,
  path: string,
  of: string,
): Pick<ManifestRequest, "shared" | "also"> {
  if (shared !== undefined && typeof shared !== "boolean")
    throw unusable(path, `has "shared"${of} that is neither true nor false`);
  const known = (name: unknown): name is string => typeof name === "string" && alsoLocations.has(name);
  if (also !== undefined && (!Array.isArray(also) || !also.every(known)))
    throw unusable(path, `has "also"${of} that is not a list of ${[...alsoLocations.keys()].join(", ")}`);
  return { shared, also };
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

/** Whether a skill is in the shared folder, and its further locations; undefined if the manifest does not say. */
export function wantedLocations(
  manifest: ProjectManifest | undefined,
  ref: string | undefined,
): Pick<ManifestRequest, "shared" | "also"> {
  const own = ref === undefined ? undefined : manifest?.skills.get(ref);
  return { shared: own?.shared ?? manifest?.shared, also: own?.also ?? manifest?.also };
}

/**
 * Whether a version that was chosen for the pin `requested` satisfies a pin; it need not be the newest. Where channels
 * point is not known here, so a channel is satisfied by a version that was chosen for it.
 */
export function satisfies(version: string, range: string, requested: string): boolean {
  if (range === unpinned) return true;
  if (isChannelName(range)) return requested === range;
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
  if (after.shared !== before.shared) Object.assign(changed, { shared: after.shared });
  return JSON.stringify(changed) === JSON.stringify(value) ? text : printLike(text, changed);
}

/** The file's text with a skill renamed, at the same position and with the same value. */
export function renameRef(text: string, path: string, from: string, to: string): string {
  const value = parseObject(text, path);
  const given = isObject(value["skills"]) ? value["skills"] : {};
  const skills = Object.entries(given).map(([ref, request]) => [ref === from ? to : ref, request]);
  return printLike(text, { ...value, skills: Object.fromEntries(skills) });
}

/** A value as JSON, with the indentation and line endings of the file's previous text. */
function printLike(text: string, value: unknown): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const printed = `${JSON.stringify(value, undefined, indent)}\n`;
  return text.includes("\r\n") ? printed.replaceAll("\n", "\r\n") : printed;
}

/** The short form if it is sufficient; unknown fields of the long form stay. */
function formatRequest({ range, ...settings }: ManifestRequest, given: unknown): unknown {
  const own = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  if (!isObject(given)) return Object.keys(own).length === 0 ? range : { version: range, ...own };
  const rest = Object.entries(given).filter(([field]) => !["targets", "shared", "also"].includes(field));
  return { ...Object.fromEntries(rest), version: range, ...own };
}
