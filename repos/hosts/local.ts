/** A repository that no code host's API stands before: a directory of this machine, or any git server. */
import { basename } from "node:path";
import type { Mirrors, Remote } from "../mirror/types.ts";
import type { RepositoryHost } from "./host.ts";

/** The caller has checked that the remote is allowed; its credentials are those of the connection. */
export function openLocalHost({
  remote,
  mirrors,
}: {
  remote: Remote;
  mirrors: Pick<Mirrors, "head" | "inspect">;
}): RepositoryHost {
  const id = remote.kind === "http" ? remote.url : remote.path;
  return {
    kind: "local",
    async describe() {
      const { defaultBranch, canPush } = await mirrors.inspect(remote);
      const fullName =
        remote.kind === "http"
          ? nameOf(`${new URL(remote.url).host}${new URL(remote.url).pathname}`)
          : nameOf(basename(remote.path));
      return { id, fullName, defaultBranch, sizeKb: undefined, canPush };
    },
    remote: async () => remote,
    async head(branch, etag) {
      const oid = await mirrors.head(remote, branch);
      if (oid === null) return undefined;
      // There is nothing cheaper than asking; the commit is its own tag.
      return oid === etag ? "unchanged" : { oid, etag: oid };
    },
  };
}

const nameOf = (path: string) => path.replace(/\/+$/, "").replace(/\.git$/, "");
