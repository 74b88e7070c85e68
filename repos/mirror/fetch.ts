/** Fetches a branch into the cache: first its tip alone, later only what is new. */
import { RepoError } from "../errors.ts";
import { branchRef, type Session } from "../transport/connect.ts";
import { fetchPack } from "../transport/fetch-pack.ts";
import type { MirrorCache } from "./cache.ts";
import { isDamage } from "./damage.ts";
import { withoutBranch } from "./inspect.ts";
import type { WithSession } from "./remote-session.ts";
import type { FetchOptions, Fetched, Remote } from "./types.ts";

const MiB = 1024 * 1024;
const fetchBytes = 256 * MiB;
/** Commits since the last fetch are small, unless history was rewritten: then the tip alone is smaller. */
export const incrementBytes = 64 * MiB;
/** Commits fetched of a second branch: enough to reach ours below what others added. */
const secondBranchDepth = 20;

export async function fetchBranch(
  cache: MirrorCache,
  withSession: WithSession,
  remote: Remote,
  branch: string,
  options: FetchOptions = {},
): Promise<Fetched> {
  const ref = branchRef(branch);
  const maxBytes = options.maxBytes ?? fetchBytes;
  const { signal, secondBranch } = options;
  const have = await cache.tipOrDrop();
  const fetchFrom = async (known: string | undefined, limit: number): Promise<Fetched> =>
    withSession(remote, { maxBytes: limit, signal }, async (session) => {
      const { refs, capabilities, defaultBranch } = await session.discover("git-upload-pack");
      const commit = refs.get(ref);
      if (commit === undefined) return withoutBranch(refs, defaultBranch);
      let bytes = 0;
      if (!(await cache.has(commit))) {
        const depth = known === undefined ? 1 : undefined;
        bytes = await fetchCommit(cache, session, commit, capabilities, { have: known, depth });
      }
      // The ref makes the commit reachable, so it moves last.
      await cache.moveTip(commit);
      const tree = (await cache.trees.commit(commit)).treeOid;
      const other =
        secondBranch === undefined ? {} : { secondBranch: refs.get(branchRef(secondBranch)) ?? null };
      return { status: "fetched", commit, tree, bytes, ...other };
    });

  let fetched: Fetched;
  try {
    fetched = await fetchFrom(have, have === undefined ? maxBytes : Math.min(maxBytes, incrementBytes));
  } catch (error) {
    const isUnusable =
      error instanceof RepoError && ["remote_too_large", "remote_protocol"].includes(error.code);
    if (!isDamage(error) && (have === undefined || !isUnusable)) throw error;
    // History was rewritten, or the host or the cache has lost our commit: fetch the tip alone into an empty cache.
    cache.log({ level: "info", msg: "refetching a mirror from scratch", because: error.message });
    await cache.drop();
    fetched = await fetchFrom(undefined, maxBytes);
  }
  await cache.mergePacks();
  return fetched;
}

/** Tip of a second branch after its fetch, or null if it does not exist. The mirrored branch's tip stays. */
export async function fetchSecondBranch(
  cache: MirrorCache,
  withSession: WithSession,
  remote: Remote,
  branch: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<string | null> {
  const have = await cache.tip();
  return withSession(remote, { maxBytes: fetchBytes, signal }, async (session) => {
    const { refs, capabilities } = await session.discover("git-upload-pack");
    const commit = refs.get(branchRef(branch));
    if (commit === undefined) return null;
    if (!(await cache.has(commit)))
      await fetchCommit(cache, session, commit, capabilities, { have, depth: secondBranchDepth });
    return commit;
  });
}

/** Fetches a commit's pack, stores it and returns its size. */
async function fetchCommit(
  cache: MirrorCache,
  session: Session,
  want: string,
  capabilities: ReadonlySet<string>,
  { have, depth }: { have: string | undefined; depth: number | undefined },
): Promise<number> {
  const shallow = have === undefined ? [] : await cache.readShallow();
  const fetched = await fetchPack(session, { want, have, shallow, depth, capabilities });
  await cache.store(fetched.pack, have === undefined ? "create" : "existing");
  if (!(await cache.has(want)))
    throw new RepoError("remote_protocol", "the host sent a pack without the requested commit");
  if (fetched.shallow.length > 0) await cache.writeShallow([...new Set([...shallow, ...fetched.shallow])]);
  return fetched.pack.length;
}
