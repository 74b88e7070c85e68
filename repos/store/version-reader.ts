/** Reads versions (commits, paths, files, digests) on top of single objects. */
import { createHash } from "node:crypto";
import { canonicalContent } from "../../contract/checks/package-rules.ts";
import { RepoError } from "../errors.ts";
import { parseMessage } from "./message.ts";
import type { ObjectReader } from "./object-reader.ts";
import { assertOid, parseCommit, parseTree, type TreeEntry } from "./objects.ts";
import type { FileMode, ListedFile, OpenedFile, RepoId, StoredCommit, StoredFile } from "./types.ts";

export interface WalkedFile {
  path: string;
  mode: FileMode;
  oid: string;
}

export class VersionReader {
  readonly #objects: ObjectReader;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  async commit(repo: RepoId, oid: string): Promise<StoredCommit> {
    const { text, ...fields } = await this.#commitFields(repo, oid);
    return { oid, ...fields, ...parseMessage(text) };
  }

  async treeOf(repo: RepoId, commitOid: string): Promise<string> {
    return (await this.#commitFields(repo, commitOid)).treeOid;
  }

  /** All files below a tree, in UTF-8 byte order of their paths, and the ids of all trees on the way. */
  async walk(repo: RepoId, rootOid: string): Promise<{ files: WalkedFile[]; treeOids: string[] }> {
    const trees = new Map([[rootOid, await this.#tree(repo, rootOid)]]);
    // Level by level, for the trees of one level lie side by side.
    for (let level = [rootOid]; level.length > 0;) {
      const inner = level.flatMap((oid) => trees.get(oid) ?? []).filter((entry) => entry.mode === "40000");
      level = [...new Set(inner.map((entry) => entry.oid))].filter((oid) => !trees.has(oid));
      let i = 0;
      for await (const data of this.#objects.sequence(repo, level, "tree")) {
        const oid = level[i++]!;
        this.#objects.remember(repo, oid, { type: "tree", data });
        trees.set(oid, parseTree(data));
      }
    }

    const files: WalkedFile[] = [];
    const descend = (oid: string, prefix: string): void => {
      for (const entry of trees.get(oid) ?? []) {
        if (entry.mode === "40000") descend(entry.oid, `${prefix}${entry.name}/`);
        else files.push({ path: prefix + entry.name, mode: entry.mode, oid: entry.oid });
      }
    };
    descend(rootOid, "");
    return { files, treeOids: [...trees.keys()] };
  }

  /** Ids of every blob and tree of a commit. */
  async contentIds(repo: RepoId, commitOid: string): Promise<Set<string>> {
    const { files, treeOids } = await this.walk(repo, await this.treeOf(repo, commitOid));
    return new Set([...treeOids, ...files.map((file) => file.oid)]);
  }

  async list(repo: RepoId, treeOid: string): Promise<ListedFile[]> {
    const { files } = await this.walk(repo, treeOid);
    const heads = await this.#objects.heads(
      repo,
      files.map((file) => file.oid),
    );
    return files.map((file) => ({ ...file, size: heads.get(file.oid)?.size ?? 0 }));
  }

  async file(repo: RepoId, commitOid: string, path: string): Promise<StoredFile | undefined> {
    const entry = await this.#find(repo, commitOid, path);
    if (entry === undefined) return undefined;
    return {
      path,
      mode: entry.mode,
      oid: entry.oid,
      data: await this.#objects.read(repo, entry.oid, "blob"),
    };
  }

  async open(repo: RepoId, commitOid: string, path: string): Promise<OpenedFile | undefined> {
    const entry = await this.#find(repo, commitOid, path);
    if (entry === undefined) return undefined;
    return { mode: entry.mode, oid: entry.oid, ...(await this.#objects.stream(repo, entry.oid)) };
  }

  async *files(repo: RepoId, treeOid: string | Promise<string>): AsyncGenerator<StoredFile> {
    const { files } = await this.walk(repo, await treeOid);
    const contents = this.#objects.sequence(
      repo,
      files.map((file) => file.oid),
      "blob",
    );
    let i = 0;
    for await (const data of contents) yield { ...files[i++]!, data };
  }

  /** Canonical digest of the stored bytes, as `docs/concepts/versions.md` defines it. */
  async digest(repo: RepoId, treeOid: string): Promise<string> {
    const files: { path: string; mode: string; sha256: string }[] = [];
    for await (const { path, mode, data } of this.files(repo, treeOid))
      files.push({ path, mode, sha256: createHash("sha256").update(data).digest("hex") });
    return createHash("sha256").update(canonicalContent(files)).digest("hex");
  }

  async #commitFields(repo: RepoId, oid: string) {
    assertOid(oid);
    return parseCommit(await this.#objects.read(repo, oid, "commit"));
  }

  async #tree(repo: RepoId, oid: string): Promise<TreeEntry[]> {
    return parseTree(await this.#objects.read(repo, oid, "tree"));
  }

  async #find(
    repo: RepoId,
    commitOid: string,
    path: string,
  ): Promise<{ mode: FileMode; oid: string } | undefined> {
    let treeOid = await this.treeOf(repo, commitOid);
    const components = path.split("/");
    for (const [i, name] of components.entries()) {
      const entry = (await this.#tree(repo, treeOid)).find((candidate) => candidate.name === name);
      if (entry === undefined) return undefined;
      const last = i === components.length - 1;
      if (last !== (entry.mode !== "40000")) return undefined;
      if (entry.mode !== "40000") return { mode: entry.mode, oid: entry.oid };
      treeOid = entry.oid;
    }
    return undefined;
  }
}

export function digestMismatch(repo: RepoId, commitOid: string): RepoError {
  return new RepoError(
    "digest_mismatch",
    `the content of ${commitOid} in ${repo.skillId} is not what was published: its SHA-256 differs`,
  );
}
