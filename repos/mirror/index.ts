/**
 * Mirrors: one disposable bare repository for each connection, a cache of the customer's branch, and what is built to be
 * pushed to it. It may be deleted at any time; the next fetch makes it again.
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RepoError, asRepoError } from "../errors.ts";
import { isMergeDue, mergePacks, removeReplaced } from "../store/maintenance.ts";
import { ObjectReader } from "../store/object-reader.ts";
import { assertOid } from "../store/objects.ts";
import { PackIndex } from "../store/pack-format.ts";
import { openPosixDriver, repoFolder } from "../store/posix.ts";
import * as files from "../store/posix-files.ts";
import { branchRef, openSession, type Session } from "../transport/connect.ts";
import { fetchPack } from "../transport/fetch-pack.ts";
import { newPushHabits, sendPack } from "../transport/send-pack.ts";
import { descendsFrom, lookAtCommit, onlyFollows } from "./beside.ts";
import { buildPush, type BuildContext } from "./build.ts";
import { lastChanges } from "./history.ts";
import { listSkill, writeListingZip } from "./listing.ts";
import { scanSkills } from "./scan.ts";
import { storePack } from "./store-pack.ts";
import { TreeReader } from "./trees.ts";
import type {
  FetchOptions,
  Fetched,
  Mirror,
  MirrorId,
  MirrorOptions,
  Mirrors,
  PreparedPush,
  PushResult,
  Remote,
} from "./types.ts";

const MiB = 1024 * 1024;
const defaults = {
  log: () => undefined,
  cacheBytes: 32 * MiB,
  silenceMs: 60_000,
  requestMs: 10 * 60_000,
  lookSilenceMs: 10_000,
  lookRequestMs: 30_000,
} as const satisfies Partial<MirrorOptions>;
const fetchBytes = 256 * MiB;
/** What is new since the last fetch is small, unless history was rewritten: then the tip alone is less. */
const incrementBytes = 64 * MiB;
/** Refs are read by whoever serves as well, to look at a repository; this is the list of more than 60,000. */
const refListBytes = 8 * MiB;
/** An answer to a push is a report and what hooks print. */
const reportBytes = 4 * MiB;
const branchesShown = 1000;
/** Commits of a branch beside the mirrored one: what somebody added to ours, and ours. */
const besideDepth = 20;
const sentPieceBytes = 1 * MiB;
const graceMs = 10 * 60_000;
/** What a process that was killed has locked is free again after that. */
const staleLockMs = 10_000;
const lockPauseMs = 100;

type Settings = MirrorOptions & Required<Pick<MirrorOptions, keyof typeof defaults>>;

export function openMirrors(given: MirrorOptions): Mirrors {
  const settings: Settings = { ...defaults, ...given, root: resolve(given.root) };
  const { packs, refs } = openPosixDriver({ root: settings.root, readHandles: 64, staleLockMs });
  const objects = new ObjectReader(packs, settings.cacheBytes, settings.log);
  const pushHabits = newPushHabits();

  /** Runs one operation on a remote and lets go of it. */
  async function withSession<T>(
    remote: Remote,
    limits: { maxBytes: number; signal?: AbortSignal | undefined; silenceMs?: number; requestMs?: number },
    action: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { git, silenceMs, requestMs } = settings;
    const session = await openSession(remote, { git, silenceMs, requestMs, ...limits });
    try {
      return await action(session);
    } finally {
      session.close();
    }
  }

  const lookLimits = {
    maxBytes: refListBytes,
    silenceMs: Math.min(settings.silenceMs, settings.lookSilenceMs),
    requestMs: Math.min(settings.requestMs, settings.lookRequestMs),
  };

  function open(repo: MirrorId): Mirror {
    const folder = repoFolder(settings.root, repo);
    const trees = new TreeReader(objects, repo);
    const context: BuildContext = { objects, repo, trees, packs };

    /** Whether the commit and its tree are here. Packs come whole, so the rest is as well. */
    async function isHere(commit: string): Promise<boolean> {
      if (!(await packs.exists(repo))) return false;
      try {
        await trees.tree((await trees.commit(commit)).treeOid);
        return true;
      } catch (error) {
        if (error instanceof RepoError && error.code === "object_missing") return false;
        throw error;
      }
    }

    async function tip(): Promise<string | undefined> {
      if (!(await packs.exists(repo))) return undefined;
      const { main } = await refs.read(repo);
      return main !== null && (await isHere(main)) ? main : undefined;
    }

    async function soundTip(): Promise<string | undefined> {
      try {
        return await tip();
      } catch (error) {
        if (!isDamage(error)) throw error;
        settings.log({ level: "warn", msg: "a damaged mirror is dropped", ...repo, because: error.message });
        await drop();
        return undefined;
      }
    }

    /** Waits for whoever holds the lock: somebody alive is done in no time, and a killed process's lock grows stale. */
    async function moveTip(commit: string): Promise<void> {
      for (const deadline = performance.now() + 1.5 * staleLockMs; ; await sleep(lockPauseMs)) {
        const result = await refs.advance(repo, async () => ({ main: commit, head: null }));
        if (result !== "contended") return;
        if (performance.now() > deadline)
          throw new RepoError("storage_unavailable", "another process is moving the mirror's tip");
      }
    }

    async function readShallow(): Promise<string[]> {
      const text = await files.orMissing(readFile(join(folder, "shallow"), "latin1"), "");
      return text.split("\n").filter((line) => /^[0-9a-f]{40}$/.test(line));
    }

    async function writeShallow(oids: readonly string[]): Promise<void> {
      const temporary = join(folder, files.temporaryName("ref"));
      await files.writeDurably(temporary, [Buffer.from(oids.map((oid) => `${oid}\n`).join(""))], 0o644);
      await files.rename(temporary, join(folder, "shallow"));
    }

    async function drop(): Promise<void> {
      objects.forget(repo);
      await packs.erase(repo);
      objects.forget(repo);
    }

    /** Gets a commit's pack and stores it. */
    async function bring(
      session: Session,
      want: string,
      capabilities: ReadonlySet<string>,
      { have, depth }: { have: string | undefined; depth: number | undefined },
    ): Promise<number> {
      const shallow = have === undefined ? [] : await readShallow();
      const fetched = await fetchPack(session, { want, have, shallow, depth, capabilities });
      const stored = await storePack(packs, repo, fetched.pack, have === undefined ? "create" : "existing");
      if (stored !== undefined)
        objects.views.add(repo, stored.pack, new PackIndex(stored.index), stored.bytes);
      if (!(await isHere(want)))
        throw new RepoError("remote_protocol", "the host sent a pack without the commit that was asked for");
      if (fetched.shallow.length > 0) await writeShallow([...new Set([...shallow, ...fetched.shallow])]);
      return fetched.pack.length;
    }

    async function fetch(remote: Remote, branch: string, options: FetchOptions = {}): Promise<Fetched> {
      const ref = branchRef(branch);
      const maxBytes = options.maxBytes ?? fetchBytes;
      const { signal } = options;
      const have = await soundTip();
      const from = async (known: string | undefined, most: number): Promise<Fetched> =>
        withSession(remote, { maxBytes: most, signal }, async (session) => {
          const { refs: found, capabilities, defaultBranch } = await session.discover("git-upload-pack");
          const commit = found.get(ref);
          if (commit === undefined) return withoutBranch(found, defaultBranch);
          let bytes = 0;
          if (!(await isHere(commit))) {
            const depth = known === undefined ? 1 : undefined;
            bytes = await bring(session, commit, capabilities, { have: known, depth });
          }
          // What makes it reachable comes last.
          await moveTip(commit);
          const tree = (await trees.commit(commit)).treeOid;
          const { beside } = options;
          const other = beside === undefined ? {} : { beside: found.get(branchRef(beside)) ?? null };
          return { status: "fetched", commit, tree, bytes, ...other };
        });

      let fetched: Fetched;
      try {
        fetched = await from(have, have === undefined ? maxBytes : Math.min(maxBytes, incrementBytes));
      } catch (error) {
        const isMisfit =
          error instanceof RepoError && ["remote_too_large", "remote_protocol"].includes(error.code);
        if (!isDamage(error) && (have === undefined || !isMisfit)) throw error;
        // History was rewritten, the host no longer knows what we have, or we don't: the tip alone, from the start.
        settings.log({ level: "info", msg: "a mirror starts afresh", ...repo, because: error.message });
        await drop();
        fetched = await from(undefined, maxBytes);
      }
      await tidy();
      return fetched;
    }

    async function fetchBeside(
      remote: Remote,
      branch: string,
      { signal }: { signal?: AbortSignal } = {},
    ): Promise<string | null> {
      const have = await tip();
      return withSession(remote, { maxBytes: fetchBytes, signal }, async (session) => {
        const { refs: found, capabilities } = await session.discover("git-upload-pack");
        const commit = found.get(branchRef(branch));
        if (commit === undefined) return null;
        if (!(await isHere(commit))) await bring(session, commit, capabilities, { have, depth: besideDepth });
        return commit;
      });
    }

    /** Keeps the number of packs low; nothing depends on it. */
    async function tidy(): Promise<void> {
      try {
        if (!isMergeDue(objects.views.counts(repo))) return;
        await mergePacks(packs, objects.views, repo);
        await removeReplaced(packs, objects.views, repo, graceMs, (msg, pack) =>
          settings.log({ level: "error", msg, ...repo, pack }),
        );
        await packs.sweep(repo);
      } catch (error) {
        settings.log({ level: "warn", msg: "tidying a mirror failed", ...repo, error: String(error) });
      }
    }

    async function push(
      remote: Remote,
      branch: string,
      prepared: PreparedPush,
      options: { signal?: AbortSignal } = {},
    ): Promise<PushResult> {
      const request = {
        ref: branchRef(branch),
        from: prepared.parent,
        to: prepared.commit,
        pack: () => packBytes(prepared),
        packBytes: prepared.bytes,
      };
      const result = await withSession(
        remote,
        // A list of refs may come first, and be long.
        { maxBytes: reportBytes + incrementBytes, signal: options.signal },
        (session) =>
          sendPack(session, request, pushHabits, remote.kind === "http" ? remote.url : remote.path),
      );
      if (result.status === "pushed" && !prepared.beside) await moveTip(prepared.commit);
      return result;
    }

    async function* packBytes({ pack, bytes }: PreparedPush): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes; at += sentPieceBytes)
        yield packs.read(repo, pack, at, Math.min(sentPieceBytes, bytes - at));
    }

    const guarded = async <T>(doing: string, action: () => Promise<T>): Promise<T> => {
      try {
        return await action();
      } catch (error) {
        if (!isDamage(error)) throw asRepoError(error, doing);
        throw new RepoError("mirror_damaged", `${doing}: the copy of the repository here is damaged`, {
          cause: error,
        });
      }
    };

    return {
      fetch: (remote, branch, options) => guarded("fetch", () => fetch(remote, branch, options)),
      scan: (commit, { since, known = [] } = {}) =>
        guarded("scan", async () => {
          assertOid(commit);
          if (since !== undefined) assertOid(since);
          const from = since !== undefined && (await isHere(since)) ? since : undefined;
          return scanSkills(context, commit, { since: from, known: new Set(known) });
        }),
      list: (skill) => guarded("list a skill", () => listSkill(context, skill)),
      read: (oid) => guarded("read a file", () => objects.read(repo, oid, "blob")),
      writeZip: (listed, path, replace = new Map()) =>
        guarded("write a package", () => writeListingZip(context, listed, path, replace)),
      lastChanges: (commit, paths) => guarded("read history", () => lastChanges(trees, commit, paths)),
      fetchBeside: (remote, branch, options) => guarded("fetch", () => fetchBeside(remote, branch, options)),
      look: (commit) => guarded("read a commit", () => lookAtCommit(trees, commit)),
      descends: (commit, from) => guarded("read history", () => descendsFrom(trees, commit, from)),
      onlyFollows: (commit, { ours, before, after }) =>
        guarded("compare commits", async () => {
          const facts = await Promise.all(
            [commit, ours, before, after].map((one) => lookAtCommit(trees, one)),
          );
          const [found, own, was, is] = facts.map((one) => one?.tree);
          if (!found || !own || !was || !is) return false;
          return onlyFollows(trees, { found, ours: own, before: was, after: is });
        }),
      build: (parent, edits, commit, onto) =>
        guarded("build a push", async () => {
          for (const oid of [parent, onto?.tip, ...(onto?.parents ?? [])]) if (oid) assertOid(oid);
          return buildPush(context, parent, edits, commit, onto);
        }),
      push: (remote, branch, prepared, options) =>
        guarded("push", () => push(remote, branch, prepared, options)),
      drop: () => guarded("drop a mirror", drop),
    };
  }

  return {
    open,
    list: () => packs.mirrors(),
    async head(remote, branch) {
      const ref = branchRef(branch);
      return withSession(remote, lookLimits, async (session) => {
        const { refs: found } = await session.discover("git-upload-pack");
        return found.get(ref) ?? null;
      });
    },
    async inspect(remote) {
      return withSession(remote, lookLimits, async (session) => {
        const { refs: found, defaultBranch } = await session.discover("git-upload-pack");
        const facts = { defaultBranch, isEmpty: found.size === 0 };
        try {
          await session.discover("git-receive-pack");
          return { ...facts, canPush: true };
        } catch (error) {
          const mayNot = error instanceof RepoError && ["auth_failed", "remote_missing"].includes(error.code);
          if (!mayNot) throw error;
          return { ...facts, canPush: false };
        }
      });
    },
    close: () => packs.close(),
  };
}

/** What a cache fails with that lost some of what it held, whoever took it. */
function isDamage(error: unknown): error is RepoError {
  const codes = ["object_missing", "object_corrupt", "pack_vanished", "repository_missing"];
  return error instanceof RepoError && codes.includes(error.code);
}

function withoutBranch(found: ReadonlyMap<string, string>, defaultBranch: string | undefined): Fetched {
  if (found.size === 0) return { status: "empty" };
  const prefix = "refs/heads/";
  const branches = [...found.keys()].filter((name) => name.startsWith(prefix));
  return {
    status: "no_branch",
    branches: branches.slice(0, branchesShown).map((name) => name.slice(prefix.length)),
    defaultBranch,
  };
}
