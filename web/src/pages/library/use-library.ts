import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { may } from "../../api/account/session.ts";
import { foundSkillsQuery, type Folder, type Skill } from "../../api/folders.ts";
import { useKeys } from "../../parts/keys.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { useSelection } from "./bulk/use-selection.ts";
import type { Asked } from "./dialogs.tsx";
import type { Filters } from "./filters.ts";
import { useDrag } from "./move/use-drag.ts";
import { useGuardedMove } from "./move/use-guarded-move.ts";
import { ancestorsOf, itemOf, rowsOf, treeOf, type Item, type LibrarySearch, type Row } from "./tree.ts";
import { undoLatest } from "./undo-notice.tsx";

/** Organizations with at most this many folders have the first level open at first. */
const openAtFirst = 30;

interface Input {
  organization: Organization;
  folders: Folder[];
  skills: Skill[] | undefined;
  /** Skills are missing. */
  isLoading: boolean;
  org: string;
  path: string;
  search: LibrarySearch;
  onAsk: (asked: Asked) => void;
  filters: Filters;
}

/** The tree with what is open and chosen in it. The choice is in the address, so that it can be shared. */
export function useLibrary({
  organization,
  folders,
  skills,
  isLoading,
  org,
  path,
  search,
  onAsk,
  filters,
}: Input) {
  const navigate = useNavigate({ from: "/$org/-/library/$" });
  const tree = useMemo(() => treeOf(folders, skills ?? [], isLoading), [folders, skills, isLoading]);
  const folder = folders.find((one) => one.path === path.replace(/\/$/, ""));
  const skill = skills?.find(({ slug }) => slug === search.skill);
  const [open, setOpen] = useOpen(folders, tree.folders, folder?.id ?? skill?.folderId ?? null);
  const { filter = "" } = search;
  const found = useFound(org, filter);
  const rows = useMemo(
    () => rowsOf(tree, { open, filter, found, ...filters }),
    [tree, open, filter, found, filters],
  );
  const { move, requestMove } = useGuardedMove(org, tree, onAsk);
  const { drag, handlers } = useDrag(tree, rows, requestMove);
  const selection = useSelection(rows);
  const canMove = may(organization.permissions, "skill", "update");
  const show = (_splat: string, slug?: string) =>
    void navigate({ params: { org, _splat }, search: (old) => ({ ...old, skill: slug }), replace: true });
  const onChoose = (row: Row) => {
    const item = itemOf(row);
    if (item) show(item.kind === "folder" ? item.folder.path : path, slugOf(item));
  };
  const onToggle = (key: string, isOpen: boolean) =>
    setOpen((old) => new Set(isOpen ? [...old, key] : [...old].filter((one) => one !== key)));
  const onOpen = (row: Row) => {
    if (row.item.kind === "folder") onToggle(row.key, !row.isOpen);
    if (row.item.kind === "skill") void navigate({ href: `/${org}/${row.item.skill.slug}` });
  };
  const chosen = skill ? `skill:${skill.id}` : folder?.id;
  useListKeys(rows, chosen, onChoose, {
    move: (item) => canMove && onAsk({ act: "move", item }),
    select: (key) => canMove && selection.select(key, false),
  });
  return {
    tree,
    rows,
    chosen,
    folder,
    skill,
    drag,
    dragHandlers: handlers,
    canMove,
    selection,
    move,
    onChoose,
    onToggle,
    onOpen,
    showFolder: (one: Folder | undefined) => show(one?.path ?? ""),
    search: (part: LibrarySearch) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true }),
    expandAll: (isOpen: boolean) => setOpen(new Set(isOpen ? tree.folders.keys() : [])),
  };
}

const slugOf = (item: Item) => (item.kind === "skill" ? item.skill.slug : undefined);

/** Ids of the skills that the search finds. */
function useFound(org: string, filter: string): ReadonlySet<string> {
  const words = filter.trim();
  const { data } = useQuery({ ...foundSkillsQuery(org, words), enabled: words !== "" });
  return useMemo(() => new Set(words === "" ? [] : data?.map(({ id }) => id)), [words, data]);
}

function useListKeys(
  rows: Row[],
  chosen: string | undefined,
  onChoose: (row: Row) => void,
  on: { move: (item: Item) => void; select: (key: string) => void },
) {
  const step = (by: number) => {
    const at = rows.findIndex(({ key }) => key === chosen);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (next) onChoose(next);
  };
  const move = () => {
    const item = itemOf(rows.find(({ key }) => key === chosen));
    if (item) on.move(item);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    m: move,
    z: undoLatest,
    x: () => chosen !== undefined && on.select(chosen),
  });
}

/** Keys of the open folders; those that contain the chosen one are opened with it. */
function useOpen(all: Folder[], folders: ReadonlyMap<string, Folder>, chosen: string | null) {
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () =>
      new Set(
        all.length <= openAtFirst ? all.filter(({ parentId }) => parentId === null).map(({ id }) => id) : [],
      ),
  );
  // Only a new choice opens folders: the user may close them afterwards.
  const [seen, setSeen] = useState<string | null>(null);
  if (seen !== chosen) {
    setSeen(chosen);
    const above = ancestorsOf(folders, chosen).map(({ id }) => id);
    if (above.length > 0) setOpen((old) => new Set([...old, ...above]));
  }
  return [open, setOpen] as const;
}
