import { useQuery } from "@tanstack/react-query";
import { FileText, Folder } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { manifestQuery, type ManifestFile } from "../../../api/skills/skills.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";

const shown = 8;

interface Entry {
  name: string;
  isFolder: boolean;
  files: number;
  bytes: number;
}

/** Files and folders at the top of the skill. */
export function Files({ skillRef, address }: { skillRef: string; address: string }) {
  const { data: manifest } = useQuery(manifestQuery(skillRef, undefined));
  if (!manifest) return null;
  const entries = entriesOf(manifest.files);
  const bytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
  return (
    <section>
      <div className="row between">
        <h3>Files</h3>
        <span className="meta">
          {manifest.files.length} · {bytesText(bytes)}
        </span>
      </div>
      <ul className="files">
        {entries.slice(0, shown).map((entry) => (
          <li key={entry.name} className="row">
            {entry.isFolder ? (
              <Folder size={14} className="dim" aria-hidden="true" />
            ) : (
              <FileText size={14} className="dim" aria-hidden="true" />
            )}
            <span className="mono grow clip">{visibleText(entry.name)}</span>
            <span className="count dim">
              {entry.isFolder ? countText(entry.files, "file") : bytesText(entry.bytes)}
            </span>
          </li>
        ))}
      </ul>
      {entries.length > shown && (
        <a className="meta" href={`${address}/files/SKILL.md`}>
          {entries.length - shown} more
        </a>
      )}
    </section>
  );
}

function entriesOf(files: readonly ManifestFile[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const { path, size } of files) {
    const [name = path, ...rest] = path.split("/");
    const entry = entries.get(name) ?? { name, isFolder: rest.length > 0, files: 0, bytes: 0 };
    entries.set(name, { ...entry, files: entry.files + 1, bytes: entry.bytes + size });
  }
  return [...entries.values()];
}
