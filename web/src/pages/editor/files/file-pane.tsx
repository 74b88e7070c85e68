import { useEffect, useState } from "react";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import type { Workspace } from "../use-workspace.ts";
import { sizeOfFile } from "../working-set.ts";
import { withType } from "./dropped-files.ts";
import { isImage } from "./file-list.tsx";

/** A file that is not edited as text: a picture, or other bytes. */
export function FilePane({ workspace: { file, base, text, reader } }: { workspace: Workspace }) {
  if (!file) return <p className="preview sub">No file is open.</p>;
  if (text === undefined) return <div className="preview" role="status" aria-label="Loading" />;
  const size = bytesText(sizeOfFile(file, base));
  return (
    <div className="preview stack gap-3" role="region" aria-label={file.path} tabIndex={0}>
      <p className="sub">
        <b className="mono">{file.path}</b> · {size}.{" "}
        {isImage(file.path) ? "" : "This file can't be edited as text."} Drop a file of the same name to
        replace it.
      </p>
      {isImage(file.path) && (
        <Picture
          key={`${file.path} ${file.data instanceof Blob ? file.data.size : ""}`}
          path={file.path}
          data={file.data instanceof Blob ? file.data : undefined}
          address={reader.addressOf(file.from ?? file.path)}
        />
      )}
    </div>
  );
}

function Picture({ path, data, address }: { path: string; data: Blob | undefined; address: string }) {
  const [local] = useState(() => (data ? URL.createObjectURL(withType(path, data)) : undefined));
  useEffect(
    () => () => {
      if (local !== undefined) URL.revokeObjectURL(local);
    },
    [local],
  );
  const source = data ? local : address;
  return source === undefined ? null : <img className="picture" src={source} alt={path} />;
}
