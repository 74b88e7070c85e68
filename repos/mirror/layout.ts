/**
 * The form of a version in a customer's repository: writing and reading its directory. Pure and independent of the
 * time: the same version has the same bytes, which distinguishes an edit from our own export.
 */
import { createHash } from "node:crypto";
import { PackageError, checkDirectoryName, compareUtf8 } from "../../contract/checks/package-rules.ts";
import { cutFences } from "../../contract/document/frontmatter.ts";
import type { ContentFormat, SkillType } from "../../contract/vocabulary.ts";
import { RepoError } from "../errors.ts";
import { buildTrees, hashObject } from "../store/objects.ts";
import type { FileMode } from "../store/types.ts";
import type { MirrorFile, RemoteFile } from "./types.ts";

export const skillsFolder = "skills";
export const indexPath = `${skillsFolder}/README.md`;
export const svcFile = ".svc.json";

/** Identifies the header, even if its sentence was edited. */
const headerMark = "svc:managed";

/** One line, so that the comment is always closed. Without version, date or address, which would change every file. */
export const managedHeader =
  `<!-- ${headerMark} This file is kept in step with the skill registry: ` +
  "an edit below becomes a new version. This line is not part of it. -->";

/** Maximum length of an edited header, which may have several lines. */
const headerBytes = 2000;

/**
 * Path of a skill: folders from the outermost in, then the skill. Throws `invalid_draft` for a slug that is not a
 * plain name or that would be the index.
 */
export function mirrorPath(folderSlugs: readonly string[], slug: string): string {
  const path = [skillsFolder, ...folderSlugs, slug].join("/");
  assertSkillPath(path);
  if ([...folderSlugs, slug].some((component) => component.includes("/")))
    throw new RepoError("invalid_draft", "a slug has a slash in it");
  return path;
}

/** Throws `invalid_draft` for a path that no skill may have: each component is checked as the scan checks it. */
export function assertSkillPath(path: string): void {
  const refuse = (cause?: unknown) =>
    new RepoError("invalid_draft", `${JSON.stringify(path)} is not a path for a skill`, { cause });
  const [root, ...names] = path.split("/");
  if (root !== skillsFolder || names.length === 0 || names.length > deepestSkill) throw refuse();
  try {
    for (const name of names) checkDirectoryName(name);
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    throw refuse(error);
  }
}

/** Levels of directories below `skills/` that are read and written. */
export const deepestSkill = 1024;

const leadingBlankLines = /^(?:[ \t]*\r?\n)+/;

/** Cuts before the body: after the frontmatter and the blank lines that follow it. */
function cutBody(text: string): { head: string; body: string } {
  const fenced = cutFences(text)?.body;
  const body = fenced ?? text.replace(/^\uFEFF/, "").replace(leadingBlankLines, "");
  return { head: text.slice(0, text.length - body.length), body };
}

/** The text after a managed header with which it starts; undefined if there is none. */
function afterHeader(text: string): string | undefined {
  const start = text.replace(leadingBlankLines, "");
  if (!/^[ \t]*<!--/.test(start)) return undefined;
  const end = start.indexOf("-->");
  const line = start.search(/\r?\n|$/);
  // If the comment was left open, the header is only its first line.
  const cut = end === -1 || end > headerBytes ? line : end + 3;
  if (!start.slice(0, cut).includes(headerMark)) return undefined;
  // The header is written with one blank line after it: any further one is the author's.
  return start
    .slice(cut)
    .replace(/^[ \t]*(?:\r?\n|$)/, "")
    .replace(/^[ \t]*(?:\r?\n|$)/, "");
}

/** The text of a version without managed headers: those of `withManagedHeader`, also if they were edited. */
export function withoutManagedHeader(text: string): string {
  const { head, body } = cutBody(text);
  let plain = body;
  for (let inner = afterHeader(plain); inner !== undefined; inner = afterHeader(plain)) plain = inner;
  return plain === body ? text : head + plain;
}

/**
 * The text with the header between frontmatter and body, and no other byte changed: removing it gives the same text.
 * Idempotent.
 */
export function withManagedHeader(text: string): string {
  const { head, body } = cutBody(withoutManagedHeader(text));
  const eol = head.endsWith("\r\n") ? "\r\n" : "\n";
  return `${head}${managedHeader}${eol}${eol}${body}`;
}

/** A file of a version as it is exported: a text with its header, a package unchanged. Binary content is unchanged. */
export function exportedFile(format: ContentFormat, file: MirrorFile): MirrorFile {
  if (format === "package") return file;
  const text = textOf(file.data);
  return text === undefined ? file : { ...file, data: Buffer.from(withManagedHeader(text)) };
}

/** UTF-8 as text, byte order mark included; undefined for other bytes. */
export function textOf(data: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}

/**
 * Id of the tree that these files make, without `.svc.json`: what a `RemoteSkill` has as `contentTree`. For a package
 * that is the `treeOid` of its version.
 */
export function contentTreeOf(files: Iterable<{ path: string; mode: FileMode; oid: string }>): string {
  return buildTrees(files).rootOid;
}

/** Content tree of a text, from the bytes stored for its version. */
export function contentTreeOfText(type: SkillType, stored: Buffer): string {
  const path = type === "rule" ? "RULE.md" : "SKILL.md";
  const { data } = exportedFile("markdown", { path, mode: "100644", data: stored });
  return contentTreeOf([{ path, mode: "100644", oid: hashObject("blob", data) }]);
}

/**
 * The form in which a directory is imported. One file is a text, unless the skill is a package now; anything more is a
 * package. `stripHeader`: its root file was exported as a text and has the header.
 */
export type ImportPlan =
  | { kind: "text"; type: SkillType; file: RemoteFile }
  | { kind: "package"; rootFile: RemoteFile; stripHeader: boolean };

/**
 * `current` is the format of the skill's version now, undefined for a new skill. The listing must have nothing refused.
 */
export function planImport(
  files: readonly RemoteFile[],
  rootFile: "SKILL.md" | "RULE.md",
  current: ContentFormat | undefined,
): ImportPlan {
  const root = files.find((file) => file.path === rootFile);
  if (root === undefined) throw new RepoError("invalid_draft", `the directory has no ${rootFile}`);
  const type = rootFile === "RULE.md" ? "rule" : "skill";
  if (files.length === 1 && (type === "rule" || current !== "package"))
    return { kind: "text", type, file: root };
  return { kind: "package", rootFile: root, stripHeader: current !== "package" };
}

export interface IndexEntry {
  /** From the root of the repository. */
  path: string;
  name: string;
  description: string;
  type: SkillType;
}

/** Characters of a description that the index shows. */
const indexedDescription = 160;

/** Text on one line, escaped for Markdown. */
function escaped(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]<>#|~&!]/g, (char) => `\\${char}`);
}

function clipped(text: string): string {
  // Cut between code points, so that no surrogate pair is split.
  const characters = Array.from(text.replace(/\s+/g, " ").trim());
  return characters.length <= indexedDescription
    ? characters.join("")
    : `${characters.slice(0, indexedDescription - 1).join("")}…`;
}

/** `skills/README.md`. It depends only on the listed fields, so an edit of a skill's text does not change it. */
export function indexFile(entries: readonly IndexEntry[]): Buffer {
  const lines = entries
    .toSorted((a, b) => compareUtf8(a.path, b.path))
    .map(({ path, name, description, type }) => {
      const below = path.slice(skillsFolder.length + 1);
      const link = below.split("/").map(encodeURIComponent).join("/");
      const about = clipped(description);
      const kind = type === "rule" ? " (rule)" : "";
      return `- [${escaped(name)}](${link}) \`${below}\`${kind}${about === "" ? "" : `: ${escaped(about)}`}\n`;
    });
  const list = lines.length === 0 ? noSkills : lines.join("");
  const body = `${indexIntroduction}${list}`;
  return Buffer.from(`${indexHeader(indexDigest(body))}${body}`);
}

const noSkills = "There are no skills yet.\n";
const indexIntroduction =
  "\n# Skills\n\n" +
  "Kept in step with the skill registry: edit a `SKILL.md` or `RULE.md` and push, and it becomes a new version.\n\n";

/** The digest distinguishes an edited index from one that the service wrote. */
const indexHeader = (digest: string) =>
  `<!-- ${headerMark} This list is written anew on every sync, unless it was edited. sha256:${digest} -->\n`;

const indexDigest = (body: string) => createHash("sha256").update(body).digest("hex");

/** Header of indexes that were written before they had a digest. */
const formerIndexHeader = `<!-- ${headerMark} This list is written anew on every sync. -->\n`;
const formerIndexLine = /^- \[.*\]\(\S+\) `[^`]+`(?: \(rule\))?(?:: .*)?$/;

/** Whether `skills/README.md` has only content of the service, so that a newer one may replace it. */
export function isOwnIndex(data: Buffer): boolean {
  const text = textOf(data)?.replaceAll("\r\n", "\n");
  if (text === undefined) return false;
  const end = text.indexOf("\n") + 1;
  const [header, body] = [text.slice(0, end), text.slice(end)];
  if (header === indexHeader(indexDigest(body))) return true;
  if (header !== formerIndexHeader || !body.startsWith(indexIntroduction)) return false;
  const list = body.slice(indexIntroduction.length);
  return (
    list === noSkills ||
    list
      .replace(/\n$/, "")
      .split("\n")
      .every((line) => formerIndexLine.test(line))
  );
}

/** A sentence for descriptions in files of a marketplace, which JSON has no comments for. */
export const marketplaceNotice = `Generated by the skill registry: edits are overwritten (${headerMark}).`;

/** Whether a file of a marketplace was written by the service, and possibly edited by others since. */
export const isOwnMarketplaceFile = (data: Buffer): boolean => data.includes(headerMark);

export { svcRecordFile, readSvcId } from "./svc-record.ts";
