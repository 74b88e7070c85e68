import { Modal } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { Skill } from "../../../api/folders.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import type { Tree } from "../tree.ts";
import { BulkEffectNote, Failures } from "./bulk-effect.tsx";
import { ChangeFields } from "./change-fields.tsx";
import {
  bulkEffectQuery,
  inverseOf,
  runSteps,
  stepsOf,
  type BulkAct,
  type Change,
  type Failure,
} from "./change.ts";
import { useBulkDone } from "./use-bulk-done.tsx";

const titles: Readonly<Record<BulkAct, { title: string; action: string }>> = {
  move: { title: "Move", action: "Move" },
  tags: { title: "Change tags of", action: "Change tags" },
  visibility: { title: "Change visibility of", action: "Change visibility" },
};

interface Props {
  org: string;
  tree: Tree;
  act: BulkAct;
  skills: Skill[];
  /** Skills that stay selected. */
  onKeep: (skills: readonly Skill[]) => void;
  onClose: () => void;
}

/** Changes several skills, with the effect on their readers before it. Those that fail stay selected. */
export function BulkDialog({ org, tree, act, skills: selected, onKeep, onClose }: Props) {
  // The lists change while the steps run.
  const [skills, setSkills] = useState(selected);
  const [change, setChange] = useState<Change>();
  const [failures, setFailures] = useState<Failure[]>([]);
  const [done, setDone] = useState(0);
  const steps = useMemo(() => (change ? stepsOf(skills, change) : []), [skills, change]);
  const effect = useQuery({ ...bulkEffectQuery(steps), enabled: steps.length > 0 && act !== "tags" });
  const finish = useBulkDone(org);
  const saving = useMutation({
    mutationFn: () => runSteps(steps, () => setDone((count) => count + 1)),
    onMutate: () => setDone(0),
    onSuccess: async (failed) => {
      const isFailed = ({ id }: Skill) => failed.some(({ skill }) => skill.id === id);
      const changed = steps.filter(({ skill }) => !isFailed(skill));
      await finish(changed.map(inverseOf));
      onKeep(failed.map(({ skill }) => skill));
      if (failed.length === 0) return onClose();
      setFailures(failed);
      setSkills(failed.map(({ skill }) => skill));
    },
  });
  const { title, action } = titles[act];
  const name = skills.length === 1 ? visibleText(skills[0]?.slug ?? "") : countText(skills.length, "skill");
  const isDangerous = (effect.data?.wider.length ?? 0) > 0;
  const isKnown = act === "tags" || effect.data !== undefined;
  return (
    <Modal opened onClose={onClose} title={`${title} ${name}`}>
      <DialogForm
        label={`${title} ${name}`}
        action={isDangerous ? `${action} and show to more people` : action}
        isDangerous={isDangerous}
        isReady={steps.length > 0 && isKnown && !effect.isFetching}
        isPending={saving.isPending}
        error={saving.error}
        onSubmit={() => saving.mutate()}
        onClose={onClose}
      >
        <ChangeFields act={act} tree={tree} skills={skills} onChange={setChange} />
        {change && steps.length === 0 && <p className="note">Nothing changes.</p>}
        {steps.length > 0 && act !== "tags" && (
          <BulkEffectNote effect={effect.data} isPending={effect.isPending} />
        )}
        <Failures failures={failures} title="Not changed" />
        {saving.isPending && (
          <p className="meta" role="status">
            {done} of {steps.length} done
          </p>
        )}
      </DialogForm>
    </Modal>
  );
}
