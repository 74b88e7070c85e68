import { useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { foldersQuery } from "../../../api/account/session.ts";
import {
  type Folder,
  invalidateEffective,
  moveItem,
  organizationSkillsQuery,
  type Subject,
} from "../../../api/folders.ts";
import { keyOf, nameOf, parentOf, type Item } from "../tree.ts";
import { showUndo } from "../undo-notice.tsx";

interface Move {
  item: Item;
  target: string | null;
  isUndo?: boolean;
}

export const subjectOf = (item: Item): Subject => ({
  kind: item.kind,
  id: item.kind === "folder" ? item.folder.id : item.skill.id,
});

/** Shows the item in its new folder before the service has answered. */
function moveInCache(client: QueryClient, org: string, { item, target }: Move): void {
  if (item.kind === "folder") {
    client.setQueryData(foldersQuery(org).queryKey, (old: Folder[] | undefined) =>
      old?.map((one) => (one.id === item.folder.id ? { ...one, parentId: target } : one)),
    );
    return;
  }
  client.setQueryData(
    organizationSkillsQuery(org).queryKey,
    (old) =>
      old && {
        ...old,
        pages: old.pages.map((page) => ({
          ...page,
          data: page.data.map((one) => (one.id === item.skill.id ? { ...one, folderId: target } : one)),
        })),
      },
  );
}

/** The path of a folder; `/` is the root. */
function pathOf(client: QueryClient, org: string, id: string | null): string {
  const folders = client.getQueryData<Folder[]>(foldersQuery(org).queryKey);
  return folders?.find((folder) => folder.id === id)?.path ?? "/";
}

/** Moves an item at once, and back by *Undo* while its notice is shown, or automatically if the service refuses. */
export function useMove(org: string, onFailed: (error: unknown, item: Item) => void) {
  const client = useQueryClient();
  const keys = [foldersQuery(org).queryKey, organizationSkillsQuery(org).queryKey] as const;
  const move = useMutation({
    mutationFn: ({ item, target }: Move) => moveItem(subjectOf(item), target),
    onMutate: async (change: Move) => {
      await Promise.all(keys.map((queryKey) => client.cancelQueries({ queryKey })));
      const before = {
        folders: client.getQueryData(foldersQuery(org).queryKey),
        skills: client.getQueryData(organizationSkillsQuery(org).queryKey),
      };
      moveInCache(client, org, change);
      return { before, from: parentOf(change.item) };
    },
    onError: (error, { item }, context) => {
      client.setQueryData(foldersQuery(org).queryKey, context?.before.folders);
      client.setQueryData(organizationSkillsQuery(org).queryKey, context?.before.skills);
      onFailed(error, item);
    },
    onSuccess: (_result, { item, target, isUndo }, { from }) => {
      if (isUndo) return;
      showUndo(
        `moved-${keyOf(item)}`,
        <>
          Moved {nameOf(item)} to <span className="mono">{pathOf(client, org, target)}</span>
        </>,
        () => move.mutate({ item, target: from, isUndo: true }),
      );
    },
    onSettled: () => {
      client.removeQueries({ queryKey: ["planned-move"] });
      return Promise.all([
        ...keys.map((queryKey) => client.invalidateQueries({ queryKey })),
        invalidateEffective(client),
      ]);
    },
  });
  return (item: Item, target: string | null) => move.mutate({ item, target });
}
