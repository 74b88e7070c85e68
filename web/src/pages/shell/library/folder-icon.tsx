import { Folder as FolderClosed, FolderHeart, FolderLock } from "lucide-react";
import type { Folder } from "../../../api/folders.ts";
import { iconProps } from "../../../parts/icon.ts";

export function FolderIcon({ folder }: { folder: Folder }) {
  if (folder.restricted) return <FolderLock {...iconProps} />;
  return folder.managed ? <FolderHeart {...iconProps} /> : <FolderClosed {...iconProps} />;
}
