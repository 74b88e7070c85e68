import { Button } from "@mantine/core";
import { FolderInput, Globe, Tag } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { Tree } from "../tree.ts";
import type { BulkAct } from "./change.ts";
import { maxSelected, type Selection } from "./use-selection.ts";

const BulkDialog = lazy(async () => ({ default: (await import("./bulk-dialog.tsx")).BulkDialog }));

const acts = [
  ["move", "Move", FolderInput],
  ["tags", "Tags", Tag],
  ["visibility", "Visibility", Globe],
] as const;

interface Props {
  org: string;
  tree: Tree;
  selection: Selection;
}

/** Actions on the selected skills, over the end of the list: the rows stay where they are. */
export function BulkBar({ org, tree, selection }: Props) {
  const [asked, setAsked] = useState<BulkAct>();
  const { skills, keep } = selection;
  if (skills.length === 0 && asked === undefined) return null;
  return (
    <div className="bulk-bar" role="region" aria-label="Selected skills">
      <span className="grow" role="status">
        {countText(skills.length, "skill")} selected
        {skills.length === maxSelected && ", which is the limit"}
      </span>
      {acts.map(([act, label, Icon]) => (
        <Button
          key={act}
          size="xs"
          variant="default"
          leftSection={<Icon size={14} />}
          onClick={() => setAsked(act)}
        >
          {label}
        </Button>
      ))}
      <Button size="xs" variant="subtle" color="gray" onClick={() => keep([])}>
        Clear
      </Button>
      {asked && (
        <Suspense>
          <BulkDialog
            org={org}
            tree={tree}
            act={asked}
            skills={skills}
            onKeep={keep}
            onClose={() => setAsked(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}
