import { useEffect, useState } from "react";
import { textOfBlob } from "../files/dropped-files.ts";
import { removedFiles, statusOf, type Base, type WorkFile } from "../working-set.ts";
import { ChangeRows } from "./change-rows.tsx";
import { compareTexts, type Row } from "./compare-texts.ts";

interface Props {
  files: readonly WorkFile[];
  base: Base | undefined;
  readBase: (path: string) => Promise<Blob>;
}

/** The differences from the version that the edit is based on. */
export function Changes({ files, base, readBase }: Props) {
  const [rows, setRows] = useState<Row[]>();
  const [failed, setFailed] = useState("");
  useEffect(() => {
    let isCurrent = true;
    rowsOf({ files, base, readBase }).then(
      (found) => isCurrent && setRows(found),
      (error: unknown) => isCurrent && setFailed(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [files, base, readBase]);
  if (failed !== "") return <p className="preview danger">{failed}</p>;
  if (rows?.length === 0)
    return (
      <p className="preview sub">No changes from {base ? `version ${base.semver}` : "the template"} yet.</p>
    );
  return rows ? <ChangeRows rows={rows} label="Changes" /> : null;
}

async function rowsOf({ files, base, readBase }: Props): Promise<Row[]> {
  const rows: Row[] = [];
  for (const file of files) {
    if (statusOf(file, base) === "same") continue;
    const { path, data, from, mode } = file;
    const old = base?.files.find((one) => one.path === (from ?? path));
    if (data === undefined) {
      const note = from === path ? (mode === "100755" ? "executable" : "not executable") : `was ${from}`;
      rows.push({ kind: "file", text: path, note });
      continue;
    }
    const after = typeof data === "string" ? data : await textOfBlob(data);
    const before = old ? await textOfBlob(await readBase(old.path)) : null;
    if (after === undefined || before === undefined)
      rows.push({ kind: "file", text: path, note: "not a text" });
    else rows.push(...compareTexts(path, before, after));
  }
  for (const { path } of removedFiles(files, base)) rows.push({ kind: "file", text: path, note: "removed" });
  return rows;
}
