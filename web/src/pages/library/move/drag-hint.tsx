import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { plannedMoveQuery } from "../../../api/folders.ts";
import { endsOutside, shortEffect } from "../panel/effect.tsx";
import { leavesRestriction, nameOf, type Tree } from "../tree.ts";
import type { DragState } from "./use-drag.ts";
import { subjectOf } from "./use-move.tsx";

/** While an item is dragged over a folder: how many could read it there. */
export function DragHint({ tree, drag }: { tree: Tree; drag: DragState }) {
  const [{ item, target }] = useDebouncedValue(drag, 150);
  const to = target === "" || target === undefined ? null : target;
  const plan = useQuery({
    ...plannedMoveQuery(item ? subjectOf(item) : { kind: "folder", id: "" }, to),
    enabled: item !== undefined && target !== undefined,
  });
  if (!drag.item || drag.target === undefined) return null;
  const name = drag.target === "" ? "/" : tree.folders.get(drag.target)?.name;
  const isSettled = drag.target === target;
  const isChange = plan.data && (plan.data.exposure.widened || endsOutside(plan.data));
  const isWarning = isSettled && (isChange || leavesRestriction(tree, drag.item, to));
  return (
    <div className="drag-hint" role="status">
      <b className="clip">{nameOf(drag.item)}</b>
      <span className="clip">
        to <span className="mono">{name}</span>
      </span>
      {isSettled && plan.data && (
        <span className={isWarning ? "effect row warn" : "effect row"}>
          <Eye size={16} />
          {shortEffect(plan.data)}
        </span>
      )}
      {isSettled && plan.error && <span className="effect danger">{plan.error.message}</span>}
    </div>
  );
}
