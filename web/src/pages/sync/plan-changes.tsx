import type { DirectoryChanges } from "../../api/organization/sync.ts";
import { splitRows } from "./conflict/split-rows.ts";
import { SplitTable } from "./conflict/split-table.tsx";

type FileDiff = DirectoryChanges["files"][number];

/** Rows that are shown of a file. */
const shownRows = 60;

/** The changes that a sync would make in a directory that both sides have. */
export function PlanChanges({ changes: { path, target, files } }: { changes: DirectoryChanges }) {
  const sides =
    target === "repository"
      ? (["In the repository", "Written from here"] as const)
      : (["Here", "From the repository"] as const);
  if (files.length === 0) return <p className="meta">Only its .svc.json changes.</p>;
  return (
    <>
      {files.map((file) => (
        <section key={file.path} className="sync-plan-file" aria-label={`${path}/${file.path}`}>
          <p>
            <code className="mono">{file.path}</code> <span className="meta">{file.status}</span>
          </p>
          <FileChanges file={file} sides={sides} />
        </section>
      ))}
    </>
  );
}

function FileChanges({ file, sides }: { file: FileDiff; sides: readonly [string, string] }) {
  if (file.binary) return <p className="meta">It is no text.</p>;
  if (file.truncated) return <p className="meta">Its changes are too long for a plan.</p>;
  const rows = splitRows(file.hunks);
  return (
    <>
      <SplitTable
        label={`Changes of ${file.path}`}
        caption={`${file.path}: ${sides.join(" and ")}`}
        sides={sides}
        rows={rows.slice(0, shownRows)}
      />
      {rows.length > shownRows && <p className="meta">And {rows.length - shownRows} more lines.</p>}
    </>
  );
}
