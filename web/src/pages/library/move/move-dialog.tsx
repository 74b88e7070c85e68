import { Button, Modal, Select, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { plannedMoveQuery } from "../../../api/folders.ts";
import { ReachNote } from "../../../parts/reach/reach-note.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { Effect } from "../panel/effect.tsx";
import { isMovable, leavesRestriction, nameOf, type Item, type Tree } from "../tree.ts";
import { subjectOf } from "./use-move.tsx";

const root = "root";

interface Props {
  tree: Tree;
  item: Item;
  /** Where the item was dropped; undefined to choose a folder. */
  target?: string | null;
  onMove: (item: Item, target: string | null) => void;
  onClose: () => void;
}

/** Moves an item to a folder that is chosen by name, with the effect on its readers before it is moved. */
export function MoveDialog({ tree, item, target, onMove, onClose }: Props) {
  const [chosen, setChosen] = useState<string | null>(target === undefined ? null : (target ?? root));
  const folders = useMemo(() => {
    const options = [...tree.folders.values()]
      .filter(({ id }) => isMovable(tree, item, id))
      .map(({ id, path }) => ({ value: id, label: path }));
    return isMovable(tree, item, null)
      ? [{ value: root, label: "/ (outside of all folders)" }, ...options]
      : options;
  }, [tree, item]);
  const to = chosen === root ? null : chosen;
  const plan = useQuery({ ...plannedMoveQuery(subjectOf(item), to), enabled: chosen !== null });
  const isLeaving = chosen !== null && leavesRestriction(tree, item, to);
  const isWider = plan.data?.exposure.widened === true;
  const move = () => {
    onMove(item, to);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={`Move ${nameOf(item)}`}>
      <div className="stack gap-4">
        <Select
          label="Folder"
          placeholder="Type part of its path"
          data={folders}
          value={chosen}
          searchable
          limit={100}
          nothingFoundMessage="No folder has this in its path"
          data-autofocus={target === undefined ? true : undefined}
          onChange={setChosen}
        />
        {chosen !== null && plan.isPending && <Skeleton height={64} aria-label="Loading the effect" />}
        {plan.data && chosen !== null && <Effect result={plan.data} isLeaving={isLeaving} />}
        {plan.data && item.kind === "skill" && !item.skill.withheld && (
          <ReachNote skillRef={item.skill.id} semver={item.skill.currentSemver} can={item.skill.can} />
        )}
        {chosen !== null && <Problem error={plan.error} />}
        <div className="row wrap end">
          <Button
            variant="default"
            data-autofocus={target === undefined ? undefined : true}
            onClick={onClose}
          >
            Cancel
          </Button>
          <Button
            color={isWider || isLeaving ? "danger" : "ink"}
            disabled={chosen === null || !plan.data}
            onClick={move}
          >
            {isWider ? "Move and show it to more people" : "Move"}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
