import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { shownUses } from "../../../../../contract/document/when-to-use.ts";
import { fileQuery, type Manifest, type ManifestFile } from "../../../api/skills/skills.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { readFrontmatter } from "./read-frontmatter.ts";

/** The sentences of a skill by which an agent decides to use it. */
export function Uses({ manifest, file }: { manifest: Manifest; file: ManifestFile }) {
  const { ref } = useSkillAddress();
  const { data } = useQuery(fileQuery(ref, file.path, manifest.semver));
  const uses = useMemo(
    () => shownUses(manifest.description, readFrontmatter(data?.text ?? "").body),
    [manifest.description, data?.text],
  );
  if (uses.length === 0) return null;
  return (
    <section className="panel uses stack" aria-labelledby="uses-heading">
      <h2 id="uses-heading">When agents use it</h2>
      <ul className="stack">
        {uses.map((use) => (
          <li key={use}>{visibleText(use)}</li>
        ))}
      </ul>
    </section>
  );
}
