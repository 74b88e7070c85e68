/**
 * `svc.lock`: the exact versions in a project. Only svc writes it, with the same bytes for the same content: skills and
 * targets sorted, one field a line, so that changes to different skills merge. It comes from a repository and is not
 * trusted. Pure.
 */
import { compareUtf8 } from "../../contract/checks/package-rules.ts";
import { limits } from "../../contract/limits.ts";
import {
  type ContentFormat,
  type InstallMethod,
  type SkillType,
  type Target,
  contentFormats,
  installMethods,
  skillTypes,
  targets as targetNames,
} from "../../contract/vocabulary.ts";
import { alsoLocations } from "../targets/locate.ts";
import { isObject, parseObject, unusable } from "./json-file.ts";
import { isSkillRef } from "./manifest.ts";

export interface LockedSkill {
  publicId: string;
  /** The pin of the manifest that this version was chosen for. */
  requested: string;
  version: number;
  semver: string;
  /** The version's content digest, hexadecimal. */
  digest: string;
  /** SHA-256 of a text's frontmatter, hexadecimal; absent if the tools' files have a rendered one. */
  frontmatter?: string;
  commit: string;
  type: SkillType;
  format: ContentFormat;
  /** For text skills: rendered into the tools' files, and not part of the digest. */
  name?: string;
  description?: string;
  /** The name in the tools. */
  installName: string;
  targets: Map<Target, InstallMethod>;
  /** Targets that read the shared folder have the skill there. */
  shared?: boolean;
  /** The methods of further locations, by name. */
  also?: Map<string, InstallMethod>;
}

/** By the references of the manifest. */
export type ProjectLock = Map<string, LockedSkill>;

const lockVersion = 1;

export function printLock(lock: ProjectLock): string {
  const refs = [...lock.keys()].sort(compareUtf8);
  const skills = Object.fromEntries(refs.map((ref) => [ref, written(lock.get(ref)!)]));
  return `${JSON.stringify({ lockVersion, skills }, undefined, 2)}\n`;
}

function written(skill: LockedSkill): Record<string, unknown> {
  const { publicId, requested, version, semver, commit, type, format, name, description } = skill;
  const { digest, frontmatter, installName, targets, shared, also } = skill;
  return {
    publicId,
    requested,
    version,
    semver,
    digest: `sha256:${digest}`,
    frontmatter: frontmatter === undefined ? undefined : `sha256:${frontmatter}`,
    commit,
    type,
    format,
    name,
    description,
    installName,
    targets: sorted(targets),
    shared: shared === true ? shared : undefined,
    also: also === undefined || also.size === 0 ? undefined : sorted(also),
  };
}

function sorted(methods: ReadonlyMap<string, InstallMethod>): Record<string, InstallMethod> {
  return Object.fromEntries([...methods].sort(([a], [b]) => compareUtf8(a, b)));
}

/** Throws `E_INVALID_ARGUMENT` for anything that svc would not have written. */
export function parseLock(text: string, path: string): ProjectLock {
  const value = parseObject(text, path);
  if (Number.isInteger(value["lockVersion"]) && (value["lockVersion"] as number) > lockVersion)
    throw unusable(path, "was written by a newer svc: update this one");
  if (value["lockVersion"] !== lockVersion || !isObject(value["skills"]))
    throw unusable(path, "was not written by svc: restore it from your repository");
  const lock: ProjectLock = new Map();
  const names = new Set<string>();
  const ids = new Set<string>();
  for (const [ref, entry] of Object.entries(value["skills"])) {
    const skill = isSkillRef(ref) ? readSkill(entry) : undefined;
    if (skill === undefined)
      throw unusable(
        path,
        `is damaged at ${JSON.stringify(ref.slice(0, 100))}: restore it from your repository`,
      );
    if (names.has(skill.installName) || ids.has(skill.publicId))
      throw unusable(path, `holds ${ref} under a name that another skill of it has`);
    names.add(skill.installName);
    ids.add(skill.publicId);
    lock.set(ref, skill);
  }
  return lock;
}

function readSkill(value: unknown): LockedSkill | undefined {
  if (!isObject(value)) return undefined;
  const text = (key: string, form: RegExp): string | undefined => {
    const given = value[key];
    return typeof given === "string" && form.test(given) ? given : undefined;
  };
  const oneOf = <T extends string>(list: readonly T[], given: unknown) => list.find((one) => one === given);
  const publicId = text("publicId", /^[A-Za-z0-9]{1,64}$/);
  const requested = text("requested", /^[\x20-\x7e]{1,256}$/);
  const semver = text("semver", /^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]{1,64})?$/);
  const digestAt = (key: string) => text(key, /^sha256:[0-9a-f]{64}$/)?.slice("sha256:".length);
  const digest = digestAt("digest");
  const frontmatter = digestAt("frontmatter");
  const commit = text("commit", /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);
  // Used as a folder name.
  const installName = text("installName", /^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/);
  const type = oneOf(skillTypes, value["type"]);
  const format = oneOf(contentFormats, value["format"]);
  const { version } = value;
  const name = text("name", /^[^\p{Cc}]+$/u);
  const description = text("description", /^/);
  const targets = readMethods(value["targets"], targetNames);
  const also = value["also"] === undefined ? null : readMethods(value["also"], [...alsoLocations.keys()]);
  const { shared } = value;
  if (also === undefined || (shared !== undefined && shared !== true)) return undefined;
  const hasMetadata =
    format !== "markdown" ||
    (name !== undefined &&
      description !== undefined &&
      name.length <= limits.skillName &&
      description.length <= limits.skillDescription);
  if (publicId === undefined || requested === undefined || semver === undefined || digest === undefined)
    return undefined;
  if (commit === undefined || installName === undefined || type === undefined || format === undefined)
    return undefined;
  if (value["frontmatter"] !== undefined && frontmatter === undefined) return undefined;
  if (!Number.isSafeInteger(version) || (version as number) < 1 || targets === undefined || !hasMetadata)
    return undefined;
  return {
    publicId,
    requested,
    version: version as number,
    semver,
    digest,
    frontmatter,
    commit,
    type,
    format,
    ...(format === "markdown" ? { name, description } : {}),
    installName,
    targets,
    shared: shared === true ? shared : undefined,
    also: also === null ? undefined : also,
  };
}

/** Methods by one of the names. */
function readMethods<T extends string>(
  value: unknown,
  names: readonly T[],
): Map<T, InstallMethod> | undefined {
  if (!isObject(value)) return undefined;
  const methods = new Map<T, InstallMethod>();
  for (const [given, method] of Object.entries(value)) {
    const name = names.find((one) => one === given);
    const known = installMethods.find((one) => one === method);
    if (name === undefined || known === undefined) return undefined;
    methods.set(name, known);
  }
  return methods;
}
