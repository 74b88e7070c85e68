import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { conflictDiffQuery, type SyncConflict } from "../../../api/organization/sync.ts";
import { FileLines } from "../../../parts/diff/file-lines.tsx";
import { Failed } from "../../../parts/states/failed.tsx";

/** Both sides of a conflict next to each other. */
export function ConflictDiff({ org, slug, conflict }: { org: string; slug: string; conflict: SyncConflict }) {
  const diff = useQuery(conflictDiffQuery(conflict));
  if (diff.isPending) return <Skeleton height={120} />;
  if (diff.isError) return <Failed error={diff.error} reset={() => void diff.refetch()} />;
  const { files } = diff.data;
  const first = files.find(({ hunks }) => hunks.length > 0);
  const { ours, theirs } = conflict;
  const comparison: string = `/${org}/${slug}/compare/${ours.semver}...${theirs.semver}`;
  return (
    <>
      {first ? (
        <>
          <p className="sync-base mono">{first.path}</p>
          <FileLines file={first} sides={["edited here", "pushed to the repository"]} />
        </>
      ) : (
        <p className="sync-base meta">
          {files.length === 0
            ? "Both versions have the same files."
            : "The changed files can't be shown as text."}
        </p>
      )}
      {files.length > 0 && ours.semver !== null && theirs.semver !== null && (
        <p className="sync-base meta">
          <Link to={comparison}>
            Compare {files.length === 1 ? "the whole file" : `all ${files.length} files`}
          </Link>
        </p>
      )}
    </>
  );
}
