/**
 * Refs as files. They are derived from MongoDB, so the lock only prevents a late writer from overwriting a newer value,
 * and a writer that can't acquire it skips the write. A ref's new value is written to a temporary file and renamed: the
 * lock file itself never becomes the ref, since a broken lock may have two owners.
 */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { RepoError, asRepoError } from "../errors.ts";
import type { RefView } from "./driver.ts";
import { assertOid } from "./objects.ts";
import * as files from "./posix-files.ts";
import type { RefTargets, StoredId, StoredRefs, TagTarget } from "./types.ts";

const refFiles = { main: join("refs", "heads", "main"), head: join("refs", "svc", "head") };
const packedHeader = "# pack-refs with: peeled fully-peeled sorted ";
/** The characters of `v` and a semantic version that `git check-ref-format` allows. */
const tagPattern = /^v[0-9A-Za-z][0-9A-Za-z.+-]{0,200}$/;

async function readRef(folder: string, name: keyof RefTargets): Promise<string | null> {
  const text = await files.orMissing(files.readFile(join(folder, refFiles[name]), "latin1"), "");
  const oid = text.trim();
  return /^[0-9a-f]{40}$/.test(oid) ? oid : null;
}

async function readPacked(folder: string): Promise<{ tags: TagTarget[]; others: string[] }> {
  const text = await files.orMissing(files.readFile(join(folder, "packed-refs"), "utf8"), "");
  const tags: TagTarget[] = [];
  const others: string[] = [];
  for (const line of text.split("\n")) {
    const match = /^([0-9a-f]{40}) (refs\/\S+)$/.exec(line);
    if (match === null) continue;
    if (match[2]!.startsWith("refs/tags/")) tags.push({ name: match[2]!.slice(10), oid: match[1]! });
    else others.push(line);
  }
  return { tags, others };
}

async function writeFile(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, files.temporaryName("ref"));
  await files.writeDurably(temporary, [Buffer.from(text)], 0o644);
  await files.rename(temporary, join(folder, name));
}

async function writeRef(folder: string, name: keyof RefTargets, oid: string | null): Promise<void> {
  if (oid === null) await files.orMissing(files.unlink(join(folder, refFiles[name])), undefined);
  else await writeFile(folder, refFiles[name], `${oid}\n`);
}

async function readAll(folder: string): Promise<StoredRefs> {
  const [main, head, packed] = await Promise.all([
    readRef(folder, "main"),
    readRef(folder, "head"),
    readPacked(folder),
  ]);
  return { main, head, tags: packed.tags };
}

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
    return locked(join(folder, `${refFiles.head}.lock`), async (held) => {
      const [wanted, main, head] = await Promise.all([
        ask(),
        readRef(folder, "main"),
        readRef(folder, "head"),
      ]);
      for (const oid of [wanted.main, wanted.head]) if (oid !== null) assertOid(oid);
      if (wanted.main === main && wanted.head === head) return "unchanged" as const;
      if (!held()) return "contended" as const;
      await Promise.all([
        wanted.main === main ? undefined : writeRef(folder, "main", wanted.main),
        wanted.head === head ? undefined : writeRef(folder, "head", wanted.head),
      ]);
      return "advanced" as const;
    });
  }

  async function setTags(folder: string, tags: readonly TagTarget[]) {
    const refused: string[] = [];
    const accepted = new Map<string, string>();
    for (const { name, oid } of tags) {
      assertOid(oid);
      const fits = tagPattern.test(name) && !name.includes("..") && !/\.(lock)?$/.test(name);
      if (fits) accepted.set(`refs/tags/${name}`, oid);
      else refused.push(name);
    }
    const result = await locked(join(folder, "packed-refs.lock"), async (held) => {
      const { others } = await readPacked(folder);
      const lines = [...others, ...[...accepted].map(([name, oid]) => `${oid} ${name}`)];
      lines.sort((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1));
      if (held()) await writeFile(folder, "packed-refs", [packedHeader, ...lines, ""].join("\n"));
      return held();
    });
    if (result !== true) throw new RepoError("storage_unavailable", "another process is writing the tags");
    return { refused };
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
    setTags: (repo, tags) => guarded("set tags", repo, (folder) => setTags(folder, tags)),
    read: (repo) => guarded("read refs", repo, readAll),
    sweep: (repo) => guarded("sweep locks", repo, sweep),
  };
}
