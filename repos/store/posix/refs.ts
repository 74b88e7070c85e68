/**
 * Refs and tags, in one file, so that each change of them is one write. They are derived from MongoDB, so the lock only
 * prevents a late writer from overwriting newer values, and a writer that can't acquire it skips the write. The new
 * file is written under a temporary name and renamed: the lock file itself never becomes the refs, since a broken lock
 * may have two owners.
 */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { RepoError, asRepoError } from "../../errors.ts";
import type { RefView } from "../driver.ts";
import { assertOid } from "../objects.ts";
import type { RefTargets, StoredId, StoredRefs, TagTarget } from "../types.ts";
import * as files from "./files.ts";

const refNames = { main: "refs/heads/main", head: "refs/svc/head" } as const;
const tagPrefix = "refs/tags/";
/** Not advertised, like everything below `refs/svc`. */
const hiddenPrefix = "refs/svc/versions/";
const packedHeader = "# pack-refs with: peeled fully-peeled sorted ";
/** The characters of `v` and a semantic version that `git check-ref-format` allows. */
const tagPattern = /^v[0-9A-Za-z][0-9A-Za-z.+-]{0,200}$/;

/** Object ids by the complete names of refs. */
type Refs = Map<string, string>;

async function readPacked(folder: string): Promise<Refs> {
  const text = await files.orMissing(files.readFile(join(folder, "packed-refs"), "utf8"), "");
  const refs: Refs = new Map();
  for (const line of text.split("\n")) {
    const match = /^([0-9a-f]{40}) (refs\/\S+)$/.exec(line);
    if (match !== null) refs.set(match[2]!, match[1]!);
  }
  return refs;
}

/** A ref in a file of its own, as releases up to 0.20 wrote it, which takes precedence. Undefined if there is none. */
async function readLoose(folder: string, name: string): Promise<string | undefined> {
  return files.orMissing(files.readFile(join(folder, name), "latin1"), undefined);
}

/** `loose`: the refs that have a file of their own. */
async function readRefs(folder: string): Promise<{ refs: Refs; loose: string[] }> {
  const names = Object.values(refNames);
  const [refs, ...texts] = await Promise.all([
    readPacked(folder),
    ...names.map((name) => readLoose(folder, name)),
  ]);
  const loose = names.filter((_, at) => texts[at] !== undefined);
  for (const [at, name] of names.entries()) {
    const oid = texts[at]?.trim();
    if (oid !== undefined && /^[0-9a-f]{40}$/.test(oid)) refs.set(name, oid);
  }
  return { refs, loose };
}

/** Writes all refs, then removes the files of single ones, whose values would hide the new ones. */
async function writeRefs(folder: string, refs: Refs, loose: readonly string[]): Promise<void> {
  const lines = [...refs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, oid]) => `${oid} ${name}`);
  const temporary = join(folder, files.temporaryName("ref"));
  await files.writeDurably(temporary, [Buffer.from([packedHeader, ...lines, ""].join("\n"))], 0o644);
  await files.rename(temporary, join(folder, "packed-refs"));
  await files.discard(loose.map((name) => join(folder, name)));
}

async function readAll(folder: string): Promise<StoredRefs> {
  const { refs } = await readRefs(folder);
  const tags = [...refs].filter(([name]) => name.startsWith(tagPrefix));
  return {
    main: refs.get(refNames.main) ?? null,
    head: refs.get(refNames.head) ?? null,
    tags: tags.map(([name, oid]) => ({ name: name.slice(tagPrefix.length), oid })),
  };
}

/** The refs with the new targets. Tags that Git can't name are left out. */
function withTargets(refs: Refs, { main, head, tags, hidden = [] }: RefTargets): Refs {
  const next: Refs = new Map(refs);
  for (const [name, oid] of [
    [refNames.main, main],
    [refNames.head, head],
  ] as const) {
    if (oid === null) next.delete(name);
    else next.set(name, checked(oid));
  }
  if (tags === undefined) return next;
  for (const name of refs.keys())
    if (name.startsWith(tagPrefix) || name.startsWith(hiddenPrefix)) next.delete(name);
  const add = (prefix: string, targets: readonly TagTarget[]) => {
    for (const { name, oid } of targets)
      if (tagPattern.test(name) && !name.includes("..") && !/\.(lock)?$/.test(name))
        next.set(`${prefix}${name}`, checked(oid));
  };
  add(tagPrefix, tags);
  add(hiddenPrefix, hidden);
  return next;
}

function checked(oid: string): string {
  assertOid(oid);
  return oid;
}

const isEqual = (a: Refs, b: Refs) => a.size === b.size && [...a].every(([name, oid]) => b.get(name) === oid);

/** Moves a stale lock aside. Of two processes that try, one finds it has moved a fresh lock and puts that back. */
async function breakLock(path: string, staleLockMs: number): Promise<boolean> {
  const age = await files.ageMs(path);
  if (age === undefined) return true;
  if (age < staleLockMs) return false;
  const aside = `${path}.${files.temporaryName("ref")}.lock`;
  if (
    !(await files.orMissing(
      files.rename(path, aside).then(() => true),
      false,
    ))
  )
    return true;
  const fresh = ((await files.ageMs(aside)) ?? Infinity) < staleLockMs;
  if (fresh) await files.link(aside, path).catch(() => undefined);
  await files.discard([aside]);
  return !fresh;
}

export function openPosixRefs(folderOf: (repo: StoredId) => string, staleLockMs: number): RefView {
  /** Runs the action under a lock, unless a live process holds it. `held` returns false before others may break it. */
  async function locked<T>(
    path: string,
    action: (held: () => boolean) => Promise<T>,
  ): Promise<T | "contended"> {
    if (!(await files.createLock(path))) {
      if (!(await breakLock(path, staleLockMs)) || !(await files.createLock(path))) return "contended";
    }
    const since = performance.now();
    const held = () => performance.now() - since < staleLockMs / 2;
    try {
      return await action(held);
    } finally {
      if (held()) await files.discard([path]);
    }
  }

  async function advance(folder: string, ask: () => Promise<RefTargets>) {
    return locked(join(folder, "packed-refs.lock"), async (held) => {
      const [wanted, { refs, loose }] = await Promise.all([ask(), readRefs(folder)]);
      const next = withTargets(refs, wanted);
      if (isEqual(refs, next)) return "unchanged" as const;
      if (!held()) return "contended" as const;
      await writeRefs(folder, next, loose);
      return "advanced" as const;
    });
  }

  async function sweep(folder: string): Promise<{ locks: number }> {
    let locks = 0;
    for (const at of [folder, join(folder, "refs", "heads"), join(folder, "refs", "svc")])
      for (const name of await files.namesIn(at)) {
        if (!name.endsWith(".lock") || ((await files.ageMs(join(at, name))) ?? 0) < staleLockMs) continue;
        await files.discard([join(at, name)]);
        locks++;
      }
    return { locks };
  }

  const guarded = async <T>(
    doing: string,
    repo: StoredId,
    action: (folder: string) => Promise<T>,
  ): Promise<T> => {
    try {
      return await action(folderOf(repo));
    } catch (error) {
      if (files.errorCode(error) === "ENOENT")
        throw new RepoError("repository_missing", `${doing}: no repository`);
      throw asRepoError(error, doing);
    }
  };

  return {
    advance: (repo, wanted) => guarded("advance refs", repo, (folder) => advance(folder, wanted)),
    read: (repo) => guarded("read refs", repo, readAll),
    sweep: (repo) => guarded("sweep locks", repo, sweep),
  };
}
