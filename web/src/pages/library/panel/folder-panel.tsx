import { ActionIcon, Button, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Folder as FolderIcon, FolderLock, Pencil } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { ApiError } from "../../../api/client.ts";
import { folderAccessQuery, type Folder } from "../../../api/folders.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine } from "../../../parts/copy/shell.ts";
import { FollowButton } from "../../../parts/following/follow-button.tsx";
import { iconProps } from "../../../parts/icon.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { AccessEditor } from "./access-editor.tsx";
import { PinToggle } from "./pin-toggle.tsx";

/** Whether the user can do something with a folder, according to the service. */
export const mayFolder = (folder: Folder, act: string) => folder.can?.some((one) => one === act) ?? false;

export type FolderAct = "rename" | "move" | "delete" | "create";
interface Props {
  org: string;
  folder: Folder;
  skills: number;
  onAct: (act: FolderAct) => void;
}

/** The chosen folder: its name, and who has access to it. */
export function FolderPanel({ org, folder, skills, onAct }: Props) {
  const access = useQuery(folderAccessQuery(folder.id));
  const isRefused = access.error instanceof ApiError && access.error.status === 403;
  const Icon = folder.restricted ? FolderLock : FolderIcon;
  return (
    <aside className="access-panel" aria-label={`Access to ${folder.name}`}>
      <div className="panel-section">
        <div className="row between">
          <h2 className="row grow">
            <Icon {...iconProps} />
            <span className="clip">{folder.name}</span>
          </h2>
          <PinToggle org={org} pin={{ kind: "folder", id: folder.id }} name={folder.name} />
          <Acts folder={folder} onAct={onAct} />
        </div>
        <div className="row between">
          <p className="meta clip grow">
            <span className="mono">{folder.path}</span> · {countText(skills, "skill")}
          </p>
          <FollowButton size="xs" target={{ kind: "folder", targetId: folder.id, name: folder.name }} />
        </div>
      </div>
      {folder.managed && (
        <p className="panel-section meta">
          This folder belongs to the personal workspaces. The service manages its name and access.
        </p>
      )}
      {isRefused ? (
        <p className="panel-section meta">You may not see who has access to this folder.</p>
      ) : (
        <Loaded found={access} rows={4}>
          {(data) => <AccessEditor key={folder.id} org={org} folder={folder} access={data} />}
        </Loaded>
      )}
      <div className="panel-section">
        <Command text={commandLine("svc", "publish", "--team", org, "--folder", folder.path)} />
      </div>
    </aside>
  );
}

function Acts({ folder, onAct }: Pick<Props, "folder" | "onAct">) {
  const isFree = !folder.managed;
  const acts: [FolderAct, string][] = [
    ...(mayFolder(folder, "create") ? [["create", "New folder in it"] as [FolderAct, string]] : []),
    ...(isFree && mayFolder(folder, "update") ? [["move", "Move"] as [FolderAct, string]] : []),
    ...(isFree && mayFolder(folder, "delete") ? [["delete", "Delete"] as [FolderAct, string]] : []),
  ];
  return (
    <span className="row">
      {isFree && mayFolder(folder, "update") && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Pencil size={14} />}
          onClick={() => onAct("rename")}
        >
          Rename
        </Button>
      )}
      {acts.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`More for ${folder.name}`}>
              <Ellipsis size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {acts.map(([act, label]) => (
              <Menu.Item key={act} color={act === "delete" ? "red" : undefined} onClick={() => onAct(act)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  );
}
