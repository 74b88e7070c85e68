import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { fileQuery, type Manifest, type ManifestFile } from "../../../api/skills/skills.ts";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { useSkillAddress } from "../context.ts";
import { Problem } from "../tab-failed.tsx";
import { FileBody } from "./file-body.tsx";
import { FileHeader, type View } from "./file-header.tsx";

const isMarkdown = (path: string) => /\.(?:md|mdc|markdown)$/i.test(path);
const isPicture = (path: string) => /\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(path);

/** One file of a version: its facts, and its content in the form that suits it. */
export function Viewer({ manifest, file }: { manifest: Manifest; file: ManifestFile }) {
  const { ref } = useSkillAddress();
  const canRead = isMarkdown(file.path) || isPicture(file.path);
  const [chosen, setView] = useState<View>();
  // A link to lines means the source.
  const isToLines = /^L\d/.test(useLocation().hash);
  const view = chosen ?? (canRead && !isToLines ? "read" : "source");
  const found = useQuery(fileQuery(ref, file.path, manifest.semver));
  return (
    <section className="panel viewer" aria-label="File">
      <FileHeader manifest={manifest} file={file} view={canRead ? view : undefined} onView={setView} />
      {found.isPending && <SkeletonRows rows={4} />}
      {found.isError && (
        <div className="body">
          <Problem error={found.error} retry={() => void found.refetch()} />
        </div>
      )}
      {found.data && (
        <FileBody
          manifest={manifest}
          file={file}
          content={found.data}
          kind={view === "source" ? "source" : isPicture(file.path) ? "picture" : "markdown"}
          onSource={() => setView("source")}
        />
      )}
    </section>
  );
}
