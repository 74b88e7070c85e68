import { TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { FileText, Folder, FolderDown, Search } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { packageAddress, type Manifest } from "../../../api/skills/skills.ts";
import { useFilterKey } from "../../../parts/filter-key.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { treeRows, type TreeRow } from "./tree.ts";

/** The files of a version as a tree, with a filter. A version has at most 500 files, so all rows are drawn. */
export function FileTree({ manifest, chosen }: { manifest: Manifest; chosen: string | undefined }) {
  const { ref } = useSkillAddress();
  const [filter, setFilter] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useFilterKey(field);
  const rows = useMemo(() => {
    const words = filter.trim().toLowerCase();
    return treeRows(manifest.files.filter(({ path }) => path.toLowerCase().includes(words)));
  }, [manifest, filter]);
  const total = manifest.files.reduce((sum, { size }) => sum + size, 0);
  const count = manifest.files.length;
  return (
    <nav className="tree panel" aria-label="Files">
      <TextInput
        ref={field}
        size="xs"
        aria-label="Filter files"
        placeholder="Filter files"
        leftSection={<Search size={14} />}
        rightSection={<span className="kbd hidden-on-phones">/</span>}
        value={filter}
        maxLength={200}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <p className="meta" role="status">
        {countText(count, "file")}, {bytesText(total)}
      </p>
      <ul>
        {rows.map((row) => (
          <li key={row.path} className={`indent-${Math.min(row.depth, 5)}`}>
            <Row row={row} isChosen={row.path === chosen} />
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p className="meta">No file matches. Try fewer letters.</p>}
      <a className="row" href={packageAddress(ref, manifest.semver)} download>
        <FolderDown size={14} /> Download all as zip
      </a>
    </nav>
  );
}

function Row({ row, isChosen }: { row: TreeRow; isChosen: boolean }) {
  const { org, slug, version } = useSkillAddress();
  if (!row.file) {
    return (
      <span className="row dim">
        <Folder size={14} />
        <span className="clip mono">{visibleText(row.name)}</span>
      </span>
    );
  }
  return (
    <Link
      className="row"
      to="/$org/$slug/files/$"
      params={{ org, slug, _splat: row.path }}
      search={version === undefined ? {} : { version }}
      activeProps={{}}
      aria-current={isChosen ? "page" : undefined}
      title={visibleText(row.path)}
    >
      <FileText size={14} />
      <span className="clip mono">{visibleText(row.name)}</span>
    </Link>
  );
}
