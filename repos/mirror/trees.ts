/** Reads foreign trees tolerantly: callers interpret names and modes. */
import { RepoError } from "../errors.ts";
import type { ObjectReader } from "../store/object-reader.ts";
import { isTreeMode, parseRawTree, type RawTreeEntry } from "../store/objects.ts";
import type { Identity, MirrorId } from "../store/types.ts";
import { svcFile } from "./layout.ts";

const oidPattern = /^[0-9a-f]{40}$/;

export const rootFiles = ["SKILL.md", "RULE.md"] as const;
export type RootFile = (typeof rootFiles)[number];

export function isFileMode(mode: string): boolean {
  // Besides today's two modes, old tools wrote 100664, and hosts keep it.
  return /^100[0-7]{3}$/.test(mode);
}

export function isFolder(entry: RawTreeEntry): boolean {
  return isTreeMode(entry.mode);
}

export function entryNamed(entries: readonly RawTreeEntry[], name: string): RawTreeEntry | undefined {
  const bytes = Buffer.from(name);
  return entries.find((entry) => entry.isNamed(bytes));
}

/** The file that makes a directory a skill. */
export function rootFileOf(entries: readonly RawTreeEntry[]): RootFile | undefined {
  return rootFiles.find((name) => {
    const entry = entryNamed(entries, name);
    return entry !== undefined && isFileMode(entry.mode);
  });
}

/** Whether a directory may be replaced by an export: a skill, or the remains of one. */
export function isSkillFolder(entries: readonly RawTreeEntry[]): boolean {
  const svc = entryNamed(entries, svcFile);
  return rootFileOf(entries) !== undefined || (svc !== undefined && isFileMode(svc.mode));
}

export class TreeReader {
  readonly #objects: ObjectReader;
  readonly #repo: MirrorId;

  constructor(objects: ObjectReader, repo: MirrorId) {
    this.#objects = objects;
    this.#repo = repo;
  }

  async commit(oid: string): Promise<ForeignCommit> {
    return parseForeignCommit(await this.#objects.read(this.#repo, oid, "commit"));
  }

  async tree(oid: string): Promise<RawTreeEntry[]> {
    return parseRawTree(await this.#objects.read(this.#repo, oid, "tree"));
  }

  /** Several trees in the requested order: neighbours in a pack are read together. */
  async trees(oids: Iterable<string>): Promise<Map<string, RawTreeEntry[]>> {
    const found = new Map<string, RawTreeEntry[]>();
    for (const oid of oids) found.set(oid, []);
    const ordered = await this.#objects.inPackOrder(this.#repo, found.keys());
    let i = 0;
    for await (const data of this.#objects.sequence(this.#repo, ordered, "tree")) {
      const oid = ordered[i++]!;
      this.#objects.remember(this.#repo, oid, { type: "tree", data });
      found.set(oid, parseRawTree(data));
    }
    return found;
  }
}

export interface ForeignCommit {
  treeOid: string;
  parents: string[];
  author: Identity;
  at: Date;
  text: string;
}

/** Parses a foreign commit: only its tree must be valid. */
function parseForeignCommit(data: Buffer): ForeignCommit {
  const whole = data.toString("utf8");
  const cut = whole.indexOf("\n\n");
  const lines = whole.slice(0, cut === -1 ? undefined : cut).split("\n");
  const valueOf = (key: string) => lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
  const treeOid = valueOf("tree") ?? "";
  if (!oidPattern.test(treeOid)) throw new RepoError("object_corrupt", "a commit lacks its tree");
  const person = /^([^<]*)<([^>]*)>[^0-9]*(\d{0,12})/.exec(valueOf("author") ?? "");
  return {
    treeOid,
    parents: lines.flatMap((line) => /^parent ([0-9a-f]{40})$/.exec(line)?.[1] ?? []),
    author: { name: person?.[1]?.trim() || "unknown", email: person?.[2]?.trim() ?? "" },
    at: new Date(Number(person?.[3] ?? 0) * 1000),
    text: cut === -1 ? "" : whole.slice(cut + 2),
  };
}

/** Undefined for a commit beyond the fetched history. */
export async function commitIfHere(trees: TreeReader, oid: string): Promise<ForeignCommit | undefined> {
  try {
    return await trees.commit(oid);
  } catch (error) {
    if (error instanceof RepoError && error.code === "object_missing") return undefined;
    throw error;
  }
}
