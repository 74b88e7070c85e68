import type { DirectoryChanges } from "../../api/organization/sync.ts";
import { FileLines } from "../../parts/diff/file-lines.tsx";

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
          <FileLines file={file} sides={sides} />
        </section>
      ))}
    </>
  );
}
