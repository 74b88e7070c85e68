import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { FolderHeart, Library } from "lucide-react";
import { useEffect, useMemo } from "react";
import { foldersQuery } from "../../../api/account/session.ts";
import type { Folder } from "../../../api/folders.ts";
import { workspaceSettingsQuery } from "../../../api/organization/workspaces.ts";
import { iconProps } from "../../../parts/icon.ts";
import { usePins, useSidebarState } from "../../../parts/page/sidebar-state.ts";
import { ancestorsOf, rowsOf, treeOf, type Tree } from "../../library/tree.ts";
import { StatusDot, type Waiting } from "../status-dot.tsx";
import { Count } from "./count.tsx";
import { FolderTree } from "./folder-tree.tsx";
import { Pinned, Recent } from "./shortcuts.tsx";
import { splitFolders } from "./workspaces.ts";

/** Rows that are shown: further ones are in the library, which is made for many. */
const shown = 200;
const none: Folder[] = [];
const unfiltered = { filter: "", found: new Set<string>(), isNarrowed: false, passes: () => true };

/** The library: pinned and recent skills, the folders, and the personal workspaces as one entry each. */
export function LibraryLinks({ org, waiting }: { org: string; waiting: Waiting | undefined }) {
  const { data: folders = none } = useQuery(foldersQuery(org));
  const { data: workspaces } = useQuery({
    ...workspaceSettingsQuery(org),
    enabled: folders.some(({ managed }) => managed),
  });
  const own = workspaces?.own;
  const { shared, root, ownCount, othersCount, hasOthers } = useMemo(
    () => splitFolders(folders, own?.folderId),
    [folders, own?.folderId],
  );
  const tree = useMemo(() => treeOf(shared, []), [shared]);
  const current = useCurrentFolder(org, folders);
  const { open, toggle } = useOpenFolders(org, tree, current?.id);
  const rows = useMemo(() => rowsOf(tree, { ...unfiltered, open }), [tree, open]);
  const { pins, isPinned, toggle: pin } = usePins(org);
  const byId = useMemo(() => new Map(folders.map((folder) => [folder.id, folder])), [folders]);
  const library: string = `/${org}/-/library`;
  return (
    <div className="nav-section library-links">
      <Pinned pins={pins} folders={byId} library={library} onPin={pin} />
      <Recent org={org} />
      <div className="nav-heading">Library</div>
      <Link to={library} activeOptions={{ exact: true }}>
        <Library {...iconProps} />
        <span className="grow">All skills</span>
        <StatusDot waiting={waiting} />
      </Link>
      {rows.length > 0 && (
        <FolderTree
          rows={rows.slice(0, shown)}
          counts={tree.counts}
          current={current?.id}
          library={library}
          onToggle={toggle}
          isPinned={isPinned}
          onPin={pin}
        />
      )}
      {rows.length > shown && <Link to={library}>All folders</Link>}
      {own?.path && <Workspace to={`${library}/${own.path}`} label="My workspace" count={ownCount} />}
      {root && hasOthers && (
        <Workspace to={`${library}/${root.path}`} label="Workspaces of others" count={othersCount} />
      )}
    </div>
  );
}

const Workspace = ({ to, label, count }: { to: string; label: string; count: number }) => (
  <Link to={to} activeOptions={{ exact: true, includeSearch: false }}>
    <FolderHeart {...iconProps} />
    <span className="clip grow">{label}</span>
    <Count value={count} />
  </Link>
);

/** The folder that the library shows. */
function useCurrentFolder(org: string, folders: Folder[]): Folder | undefined {
  const { org: shownOrg, _splat: path } = useParams({ strict: false });
  if (shownOrg !== org || !path) return undefined;
  return folders.find((folder) => folder.path === path.replace(/\/$/, ""));
}

/** The open folders, which this browser keeps. Those around the current one open with it. */
function useOpenFolders(org: string, tree: Tree, current: string | undefined) {
  const { state, change } = useSidebarState(org);
  const open = useMemo(() => new Set(state.open), [state.open]);
  const toggle = (id: string, isOpen: boolean) =>
    change((old) => ({ open: isOpen ? [...old.open, id] : old.open.filter((one) => one !== id) }));
  useEffect(() => {
    const [, ...above] = current === undefined ? [] : ancestorsOf(tree.folders, current);
    if (above.length > 0)
      change((old) => ({ open: [...new Set([...old.open, ...above.map(({ id }) => id)])] }));
    // Only a new choice opens folders: the user may close them afterwards.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps
  }, [current]);
  return { open, toggle };
}
