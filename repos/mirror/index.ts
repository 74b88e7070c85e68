/**
 * Mirrors: one disposable bare repository for each connection, which caches the customer's branch and holds the commits
 * that are to be pushed to it. It may be deleted at any time; the next fetch creates it again.
 */
import { resolve } from "node:path";
import { ObjectReader } from "../store/object-reader.ts";
import { assertOid } from "../store/objects.ts";
import { openPosixDriver } from "../store/posix/posix.ts";
import { newPushHabits, type PushHabits } from "../transport/send-pack.ts";
import { buildPush, checkEdits, type BuildContext } from "./build.ts";
import { MirrorCache, staleLockMs } from "./cache.ts";
import { isDescendant, readCommitFacts, containsOnlyUpstreamChanges } from "./compare-commits.ts";
import { guarded } from "./damage.ts";
import { findElsewhere } from "./elsewhere.ts";
import { fetchSecondBranch, fetchBranch } from "./fetch.ts";
import { lastChanges } from "./history.ts";
import { inspectRemote, readHead } from "./inspect.ts";
import { listSkill, writeListingZip } from "./listing.ts";
import { pushPrepared } from "./push.ts";
import { newWithSession, type WithSession } from "./remote-session.ts";
import { scanSkills } from "./scan.ts";
import type { Mirror, MirrorOptions, Mirrors } from "./types.ts";

const MiB = 1024 * 1024;
const defaults = {
  log: () => undefined,
  cacheBytes: 32 * MiB,
  silenceMs: 60_000,
  requestMs: 10 * 60_000,
  lookSilenceMs: 10_000,
  lookRequestMs: 30_000,
} as const satisfies Partial<MirrorOptions>;
/** Enough for more than 60,000 refs: a request that is served at once may read them. */
const refListBytes = 8 * MiB;

export function openMirrors(given: MirrorOptions): Mirrors {
  const settings = { ...defaults, ...given, root: resolve(given.root) };
  const { root, log, git, silenceMs, requestMs } = settings;
  const driver = openPosixDriver({ root, readHandles: 64, staleLockMs });
  const objects = new ObjectReader(driver.packs, settings.cacheBytes, log);
  const habits = newPushHabits();
  const withSession = newWithSession({ git, silenceMs, requestMs });
  const refLimits = {
    maxBytes: refListBytes,
    silenceMs: Math.min(silenceMs, settings.lookSilenceMs),
    requestMs: Math.min(requestMs, settings.lookRequestMs),
  };

  return {
    open(repo) {
      const cache = new MirrorCache(repo, { ...driver, root, objects, log });
      const context = { objects, repo, trees: cache.trees, packs: driver.packs };
      return openMirror(cache, context, withSession, habits);
    },
    list: () => driver.packs.mirrors(),
    head: (remote, branch) => readHead(withSession, remote, branch, refLimits),
    inspect: (remote) => inspectRemote(withSession, remote, refLimits),
    close: () => driver.packs.close(),
  };
}

function openMirror(
  cache: MirrorCache,
  context: BuildContext,
  withSession: WithSession,
  habits: PushHabits,
): Mirror {
  const { repo, trees } = cache;
  return {
    fetch: (remote, branch, options) =>
      guarded("fetch", () => fetchBranch(cache, withSession, remote, branch, options)),
    fetchSecondBranch: (remote, branch, options) =>
      guarded("fetch", () => fetchSecondBranch(cache, withSession, remote, branch, options)),
    push: (remote, branch, prepared, { signal } = {}) =>
      guarded("push", () => pushPrepared(cache, withSession, { remote, branch, prepared, habits, signal })),
    scan: (commit, { since, known = [] } = {}) =>
      guarded("scan", async () => {
        assertOid(commit);
        if (since !== undefined) assertOid(since);
        const from = since !== undefined && (await cache.has(since)) ? since : undefined;
        return scanSkills(context, commit, { since: from, known: new Set(known) });
      }),
    elsewhere: (commit, known) =>
      guarded("search a commit", async () => {
        assertOid(commit);
        return findElsewhere(context, commit, known);
      }),
    list: (skill) => guarded("list a skill", () => listSkill(context, skill)),
    read: (oid) => guarded("read a file", () => context.objects.read(repo, oid, "blob")),
    writeZip: (listed, path, replace = new Map()) =>
      guarded("write a package", () => writeListingZip(context, listed, path, replace)),
    lastChanges: (commit, paths) => guarded("read history", () => lastChanges(trees, commit, paths)),
    readCommit: (commit) => guarded("read a commit", () => readCommitFacts(trees, commit)),
    isDescendant: (commit, from) => guarded("read history", () => isDescendant(trees, commit, from)),
    containsOnlyUpstreamChanges: (commit, { ours, before, after }) =>
      guarded("compare commits", async () => {
        const facts = await Promise.all(
          [commit, ours, before, after].map((one) => readCommitFacts(trees, one)),
        );
        const [found, own, was, is] = facts.map((one) => one?.tree);
        if (!found || !own || !was || !is) return false;
        return containsOnlyUpstreamChanges(trees, { found, ours: own, before: was, after: is });
      }),
    build: (parent, edits, commit, onto) =>
      guarded("build a push", async () => {
        for (const oid of [parent, onto?.tip, ...(onto?.parents ?? [])]) if (oid) assertOid(oid);
        return buildPush(context, parent, edits, commit, onto);
      }),
    check: (parent, edits) =>
      guarded("check a push", async () => {
        if (parent !== null) assertOid(parent);
        return checkEdits(context, parent, edits);
      }),
    drop: () => guarded("drop a mirror", () => cache.drop()),
  };
}
