/** Git's loose grammar: how trees and commits are spelled, and how an object gets its id (SHA-1 object format). */
import { isUtf8 } from "node:buffer";
import { createHash, hash } from "node:crypto";
import { compareUtf8 } from "../../contract/checks/package-rules.ts";
import { RepoError } from "../errors.ts";
import type { FileMode, Identity } from "./types.ts";

export type ObjectType = "commit" | "tree" | "blob" | "tag";

export interface GitObject {
  type: ObjectType;
  data: Buffer;
}

export interface TreeEntry {
  mode: FileMode | "40000";
  name: string;
  oid: string;
}

const oidPattern = /^[0-9a-f]{40}$/;

export function assertOid(oid: string): void {
  if (!oidPattern.test(oid)) throw new RepoError("invalid_id", `${JSON.stringify(oid)} is not an object id`);
}

/** Below this a copy into one buffer is cheaper than a hash object that is fed twice. */
const oneShotBytes = 32 * 1024;

/** Hex id of an object. */
export function hashObject(type: ObjectType, data: Buffer): string {
  const header = `${type} ${data.length}\0`;
  if (data.length > oneShotBytes) return createHash("sha1").update(header).update(data).digest("hex");
  const whole = Buffer.allocUnsafe(header.length + data.length);
  whole.write(header, 0, "latin1");
  data.copy(whole, header.length);
  return hash("sha1", whole);
}

/** Git orders a folder as if its name ended in a slash, so `a.b` comes before `a/` and `a0` after it. */
function sortKey(entry: WrittenEntry): string {
  return entry.mode === "40000" ? `${entry.name}/` : entry.name;
}

/** An entry to write: trees of customers keep modes that versions don't have. */
type WrittenEntry = Omit<TreeEntry, "mode"> & { mode: string };

function encodeTree(entries: readonly WrittenEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const entry of entries.toSorted((a, b) => compareUtf8(sortKey(a), sortKey(b))))
    parts.push(Buffer.from(`${entry.mode} ${entry.name}\0`), Buffer.from(entry.oid, "hex"));
  return Buffer.concat(parts);
}

/** An entry as it stands in a tree that others wrote: any mode, any name. Nothing is decoded before it is asked for. */
export class RawTreeEntry {
  readonly #tree: Buffer;
  readonly #start: number;
  readonly #space: number;
  readonly #end: number;

  /** End of the mode and of the name of the entry at `start`. */
  constructor(tree: Buffer, start: number, space: number, end: number) {
    this.#tree = tree;
    this.#start = start;
    this.#space = space;
    this.#end = end;
  }

  get mode(): string {
    return this.#tree.toString("latin1", this.#start, this.#space);
  }

  /** Undefined for a name that is not UTF-8. */
  get name(): string | undefined {
    const name = this.#tree.toString("utf8", this.#space + 1, this.#end);
    return name.includes("\ufffd") && !isUtf8(this.nameBytes) ? undefined : name;
  }

  get nameBytes(): Buffer {
    return this.#tree.subarray(this.#space + 1, this.#end);
  }

  get oid(): string {
    return this.#tree.toString("hex", this.#end + 1, this.#end + 21);
  }

  /** The whole entry, a view of the tree. */
  get bytes(): Buffer {
    return this.#tree.subarray(this.#start, this.#end + 21);
  }

  isNamed(name: Buffer): boolean {
    return (
      this.#end - this.#space - 1 === name.length &&
      this.#tree.compare(name, 0, name.length, this.#space + 1, this.#end) === 0
    );
  }

  /** Whether mode, name and id are the same. */
  equals(other: RawTreeEntry): boolean {
    return this.#tree.compare(other.#tree, other.#start, other.#end + 21, this.#start, this.#end + 21) === 0;
  }

  /** By the bytes of the names alone. */
  compareName(other: RawTreeEntry): number {
    return this.#tree.compare(other.#tree, other.#space + 1, other.#end, this.#space + 1, this.#end);
  }
}

/** Entries of any tree that native git can write, in their order. Throws `object_corrupt` where they do not add up. */
export function parseRawTree(data: Buffer): RawTreeEntry[] {
  const entries: RawTreeEntry[] = [];
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at);
    const end = space === -1 ? -1 : data.indexOf(0, space);
    if (end === -1 || end + 21 > data.length || !isOctal(data, at, space))
      throw new RepoError("object_corrupt", "a tree ends in mid-entry");
    entries.push(new RawTreeEntry(data, at, space, end));
    at = end + 21;
  }
  return entries;
}

function isOctal(data: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (data[at]! < 0x30 || data[at]! > 0x37) return false;
  return to > from && to - from <= 7;
}

/** Folders, also as old tools wrote them, with a leading zero. */
export function isTreeMode(mode: string): boolean {
  return mode === "40000" || mode === "040000";
}

/** Entries of a tree of our own: files and folders, and nothing else. */
export function parseTree(data: Buffer): TreeEntry[] {
  return parseRawTree(data).map((entry) => {
    const { mode, name, oid } = entry;
    if ((mode !== "100644" && mode !== "100755" && mode !== "40000") || name === undefined)
      throw new RepoError("object_corrupt", `a tree has an entry of mode ${mode}`);
    return { mode, name, oid };
  });
}

export interface BuiltTrees {
  rootOid: string;
  /** Every folder once, inner ones first, the root last. */
  trees: { oid: string; data: Buffer }[];
}

interface Folder {
  files: WrittenEntry[];
  folders: Map<string, Folder>;
}

/** Builds the trees of a set of files whose paths have been checked to be free of clashes. */
export function buildTrees(files: Iterable<{ path: string; mode: string; oid: string }>): BuiltTrees {
  const root: Folder = { files: [], folders: new Map() };
  for (const file of files) {
    const components = file.path.split("/");
    const name = components.pop() ?? "";
    let folder = root;
    for (const component of components) {
      let next = folder.folders.get(component);
      if (next === undefined) folder.folders.set(component, (next = { files: [], folders: new Map() }));
      folder = next;
    }
    folder.files.push({ mode: file.mode, name, oid: file.oid });
  }

  const trees = new Map<string, Buffer>();
  // Depth is bounded by the package rules, so recursion is.
  const close = (folder: Folder): string => {
    const entries = [...folder.files];
    for (const [name, inner] of folder.folders) entries.push({ mode: "40000", name, oid: close(inner) });
    const data = encodeTree(entries);
    const oid = hashObject("tree", data);
    trees.set(oid, data);
    return oid;
  };
  const rootOid = close(root);
  return { rootOid, trees: [...trees].map(([oid, data]) => ({ oid, data })) };
}

export interface CommitFields {
  treeOid: string;
  parents: string[];
  author: Identity;
  committer: Identity;
  at: Date;
  /** Whole text, trailers included. */
  text: string;
}

/** A name or address as Git allows it: no angle brackets or line breaks, no punctuation at the ends, never empty. */
function identityPart(text: string, fallback: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  const clean = text.replace(/[\0-\x1f\x7f<>]/g, "").replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, "");
  return clean === "" ? fallback : clean;
}

export function encodeCommit(commit: CommitFields): Buffer {
  const seconds = Math.floor(commit.at.getTime() / 1000);
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new RepoError("invalid_draft", "the time of a commit is before 1970 or invalid");
  const person = ({ name, email }: Identity) =>
    `${identityPart(name, "unknown")} <${identityPart(email, "unknown").replaceAll(" ", "")}> ${seconds} +0000`;
  const parents = commit.parents.map((oid) => `parent ${oid}\n`).join("");
  return Buffer.from(
    `tree ${commit.treeOid}\n${parents}author ${person(commit.author)}\ncommitter ${person(commit.committer)}\n\n${commit.text}`,
  );
}

export function parseCommit(data: Buffer): CommitFields {
  const whole = data.toString("utf8");
  const cut = whole.indexOf("\n\n");
  const fields = { treeOid: "", parents: [] as string[] };
  let author: ReturnType<typeof parsePerson>;
  let committer: ReturnType<typeof parsePerson>;
  for (const line of whole.slice(0, Math.max(cut, 0)).split("\n")) {
    const space = line.indexOf(" ");
    const value = line.slice(space + 1);
    const key = line.slice(0, space);
    if (key === "tree") fields.treeOid = value;
    else if (key === "parent") fields.parents.push(value);
    else if (key === "author") author = parsePerson(value);
    else if (key === "committer") committer = parsePerson(value);
  }
  if (!oidPattern.test(fields.treeOid) || author === undefined || committer === undefined)
    throw new RepoError("object_corrupt", "a commit lacks its tree, author or committer");
  return { ...fields, author, committer, at: committer.at, text: whole.slice(cut + 2) };
}

function parsePerson(value: string): (Identity & { at: Date }) | undefined {
  const match = /^(.*) <([^<>]*)> (\d+) [+-]\d{4}$/.exec(value);
  return match === null
    ? undefined
    : { name: match[1]!, email: match[2]!, at: new Date(Number(match[3]) * 1000) };
}
