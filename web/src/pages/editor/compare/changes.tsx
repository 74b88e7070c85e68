import { useEffect, useState } from "react";
import { textOfBlob } from "../files/dropped-files.ts";
import { removedFiles, statusOf, type Base, type WorkFile } from "../working-set.ts";
import { ChangeRows } from "./change-rows.tsx";
import type { ChangedFile } from "./changed-file.ts";
import { compareTexts } from "./compare-texts.ts";

interface Props {
  files: readonly WorkFile[];
  base: Base | undefined;
  readBase: (path: string) => Promise<Blob>;
}

/** The differences from the version that the edit is based on. */
export function Changes({ files, base, readBase }: Props) {
  const [changed, setChanged] = useState<ChangedFile[]>();
  const [failed, setFailed] = useState("");
  useEffect(() => {
    let isCurrent = true;
    changedFiles({ files, base, readBase }).then(
      (found) => isCurrent && setChanged(found),
      (error: unknown) => isCurrent && setFailed(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [files, base, readBase]);
  if (failed !== "") return <p className="preview danger">{failed}</p>;
  if (changed?.length === 0)
    return (
      <p className="preview sub">No changes from {base ? `version ${base.semver}` : "the template"} yet.</p>
    );
  return changed ? <ChangeRows files={changed} label="Changes" /> : null;
}

async function changedFiles({ files, base, readBase }: Props): Promise<ChangedFile[]> {
  const changed: ChangedFile[] = [];
  for (const file of files) {
    if (statusOf(file, base) === "same") continue;
    const { path, data, from, mode } = file;
    const old = base?.files.find((one) => one.path === (from ?? path));
    if (data === undefined) {
      const note = from === path ? (mode === "100755" ? "executable" : "not executable") : `was ${from}`;
      changed.push({ path, note, hunks: [] });
      continue;
    }
    const after = typeof data === "string" ? data : await textOfBlob(data);
    const before = old ? await textOfBlob(await readBase(old.path)) : null;
    const isText = after !== undefined && before !== undefined;
    changed.push(isText ? compareTexts(path, before, after) : { path, note: "not text", hunks: [] });
  }
  for (const { path } of removedFiles(files, base)) changed.push({ path, note: "removed", hunks: [] });
  return changed;
}
