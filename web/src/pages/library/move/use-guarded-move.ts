import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { plannedMoveQuery } from "../../../api/folders.ts";
import type { Asked } from "../dialogs.tsx";
import { endsOutside } from "../panel/effect.tsx";
import { leavesRestriction, nameOf, type Item, type Tree } from "../tree.ts";
import { subjectOf, useMove } from "./use-move.tsx";

/** Moves at once what the same people can read afterwards; anything else is confirmed in a dialog first. */
export function useGuardedMove(org: string, tree: Tree, onAsk: (asked: Asked) => void) {
  const client = useQueryClient();
  const move = useMove(org, (error, item) => {
    notifications.show({
      autoClose: false,
      color: "red",
      message: `${nameOf(item)} was not moved. ${error instanceof Error ? error.message : ""}`,
    });
  });
  const requestMove = async (item: Item, target: string | null) => {
    const ask = () => onAsk({ act: "move", item, target });
    if (leavesRestriction(tree, item, target)) return ask();
    try {
      const plan = await client.ensureQueryData(plannedMoveQuery(subjectOf(item), target));
      if (plan.exposure.widened || endsOutside(plan) || (plan.readers?.lose ?? 0) > 0) ask();
      else move(item, target);
    } catch {
      // The dialog repeats the plan and shows why it fails.
      ask();
    }
  };
  return { move, requestMove: (item: Item, target: string | null) => void requestMove(item, target) };
}
