import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { conflictDiffQuery, type SyncConflict } from "../../../api/organization/sync.ts";
import { Failed } from "../../../parts/failed.tsx";
import { splitRows } from "./split-rows.ts";
import { SplitTable } from "./split-table.tsx";

/** Rows that are shown of the first changed file; the page that compares versions has all. */
const shownRows = 60;

/** Both sides of a conflict next to each other. */
export function ConflictDiff({ org, slug, conflict }: { org: string; slug: string; conflict: SyncConflict }) {
  const diff = useQuery(conflictDiffQuery(conflict));
  if (diff.isPending) return <Skeleton height={120} />;
  if (diff.isError) return <Failed error={diff.error} reset={() => void diff.refetch()} />;
  const { files } = diff.data;
  const first = files.find(({ hunks }) => hunks.length > 0);
  const rows = first ? splitRows(first.hunks) : [];
  const { ours, theirs } = conflict;
  const comparison: string = `/${org}/${slug}/compare/${ours.semver}...${theirs.semver}`;
  const isCut = rows.length > shownRows || files.length > 1;
  return (
    <>
      {first ? (
        <SplitTable
          label={`Changes of ${first.path}`}
          caption={`${first.path}: edited here, and pushed to the repository`}
          sides={["Edited here", "Pushed to the repository"]}
          rows={rows.slice(0, shownRows)}
        />
      ) : (
        <p className="sync-base meta">
          {files.length === 0
            ? "Both versions have the same files."
            : "The changed files can't be shown as text."}
        </p>
      )}
      {isCut && ours.semver !== null && theirs.semver !== null && (
        <p className="sync-base meta">
          <Link to={comparison}>
            Compare all of {files.length === 1 ? "the file" : `${files.length} files`}
          </Link>
        </p>
      )}
    </>
  );
}
