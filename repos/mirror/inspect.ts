/** Reads of a remote's refs, without a fetch. */
import { RepoError } from "../errors.ts";
import { branchRef } from "../transport/connect.ts";
import type { SessionLimits, WithSession } from "./remote-session.ts";
import type { Fetched, Remote, RemoteFacts } from "./types.ts";

const branchesListed = 1000;

/** Tip of a branch at the remote, or null if it does not exist. */
export function readHead(
  withSession: WithSession,
  remote: Remote,
  branch: string,
  limits: SessionLimits,
): Promise<string | null> {
  const ref = branchRef(branch);
  return withSession(remote, limits, async (session) => {
    const { refs } = await session.discover("git-upload-pack");
    return refs.get(ref) ?? null;
  });
}

export function inspectRemote(
  withSession: WithSession,
  remote: Remote,
  limits: SessionLimits,
): Promise<RemoteFacts> {
  return withSession(remote, limits, async (session) => {
    const { refs, defaultBranch } = await session.discover("git-upload-pack");
    const facts = { defaultBranch, isEmpty: refs.size === 0, branches: branchesOf(refs) };
    try {
      await session.discover("git-receive-pack");
      return { ...facts, canPush: true };
    } catch (error) {
      const isDenied = error instanceof RepoError && ["auth_failed", "remote_missing"].includes(error.code);
      if (!isDenied) throw error;
      return { ...facts, canPush: false };
    }
  });
}

/** The result of a fetch whose branch is not among the remote's refs. */
export function withoutBranch(refs: ReadonlyMap<string, string>, defaultBranch: string | undefined): Fetched {
  if (refs.size === 0) return { status: "empty" };
  return { status: "no_branch", branches: branchesOf(refs), defaultBranch };
}

/** Branches of an advertisement, ordered by name as in it. */
function branchesOf(refs: ReadonlyMap<string, string>): string[] {
  const prefix = "refs/heads/";
  const branches = [...refs.keys()].filter((name) => name.startsWith(prefix));
  return branches.slice(0, branchesListed).map((name) => name.slice(prefix.length));
}
