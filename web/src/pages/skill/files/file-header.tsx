import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { Check, ClipboardCopy, Download } from "lucide-react";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { fileAddress, type Manifest, type ManifestFile } from "../../../api/skills/skills.ts";
import { Segments } from "../../../parts/page/segments.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";

export type View = "read" | "source";

interface Props {
  manifest: Manifest;
  file: ManifestFile;
  /** Undefined for a file that has only a source. */
  view: View | undefined;
  onView: (view: View) => void;
}

/** Path, size, mode and digest of a file, with its download. */
export function FileHeader({ manifest, file, view, onView }: Props) {
  const { ref } = useSkillAddress();
  return (
    <header className="wrap">
      <h2 className="mono clip">{visibleText(file.path)}</h2>
      <CopyButton value={file.path}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : "Copy path"}>
            <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Copy path" onClick={copy}>
              {copied ? <Check size={14} /> : <ClipboardCopy size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
      <span className="meta grow facts">
        <span>{bytesText(file.size)}</span>
        <span>{file.mode === "100755" ? "executable" : "not executable"}</span>
        <span className="mono" title={`sha256:${file.sha256}`}>
          sha256:{file.sha256.slice(0, 12)}…
        </span>
      </span>
      {view !== undefined && (
        <Segments
          label="View"
          data={[
            { value: "read", label: "Read" },
            { value: "source", label: "Source" },
          ]}
          value={view}
          onChange={(value) => onView(value)}
        />
      )}
      <Tooltip label="Download file">
        <ActionIcon
          component="a"
          variant="subtle"
          color="gray"
          aria-label="Download file"
          href={fileAddress(ref, file.path, manifest.semver)}
          download={file.path.split("/").at(-1)}
        >
          <Download size={16} />
        </ActionIcon>
      </Tooltip>
    </header>
  );
}
