import { Checkbox, TextInput } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { limits } from "../../../../contract/limits.ts";

const rowHeight = 30;
const indent = 18;

export interface FolderOption {
  id: string;
  name: string;
  /** With the organization in front, if folders of several are offered. */
  path: string;
}

interface Props {
  folders: readonly FolderOption[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

/** The folder tree with checkboxes. A chosen folder includes those in it. */
export function FolderChoice({ folders, chosen, onChange }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useState("");
  const shown = useMemo(
    () => folders.filter(({ path }) => path.toLowerCase().includes(filter.trim().toLowerCase())),
    [folders, filter],
  );
  const paths = folders.filter(({ id }) => chosen.includes(id)).map(({ path }) => path);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const toggle = (id: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id));
  if (folders.length === 0) return <p className="sub">There are no folders.</p>;
  return (
    <fieldset className="stack token-folders">
      <legend className="visually-hidden">Folders</legend>
      <TextInput
        size="xs"
        aria-label="Filter folders"
        placeholder="Filter folders"
        value={filter}
        maxLength={200}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <div className="panel" ref={list} tabIndex={0} role="group" aria-label="Folders">
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const folder = shown[index];
            if (!folder) return null;
            const isInside = paths.some((path) => folder.path.startsWith(`${path}/`));
            return (
              <FolderBox
                key={folder.id}
                folder={folder}
                top={start}
                isOn={chosen.includes(folder.id)}
                isInside={isInside}
                isFull={chosen.length >= limits.foldersPerToken}
                onToggle={toggle}
              />
            );
          })}
        </div>
      </div>
    </fieldset>
  );
}

interface BoxProps {
  folder: FolderOption;
  top: number;
  isOn: boolean;
  /** A folder that contains it is chosen. */
  isInside: boolean;
  isFull: boolean;
  onToggle: (id: string, isOn: boolean) => void;
}

function FolderBox({ folder, top, isOn, isInside, isFull, onToggle }: BoxProps) {
  const level = Math.min(folder.path.split("/").length - 1, 10);
  return (
    <Checkbox
      size="xs"
      label={folder.name}
      aria-label={folder.path}
      style={{ position: "absolute", transform: `translateY(${top + 6}px)`, left: 12 + level * indent }}
      checked={isOn || isInside}
      disabled={!isOn && (isInside || isFull)}
      onChange={(event) => onToggle(folder.id, event.currentTarget.checked)}
    />
  );
}
