import { MultiSelect, Select, TagsInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { visibilities } from "../../../../../contract/vocabulary.ts";
import type { Skill } from "../../../api/folders.ts";
import { isMovable, type Tree } from "../tree.ts";
import type { BulkAct, Change } from "./change.ts";

interface Props {
  act: BulkAct;
  tree: Tree;
  skills: Skill[];
  onChange: (change: Change | undefined) => void;
}

const root = "root";

/** The fields of a change of several skills. */
export function ChangeFields({ act, ...props }: Props) {
  if (act === "move") return <FolderField {...props} />;
  if (act === "tags") return <TagFields {...props} />;
  return <VisibilityField {...props} />;
}

type FieldProps = Omit<Props, "act">;

function FolderField({ tree, skills, onChange }: FieldProps) {
  const folders = useMemo(() => {
    const canHold = (id: string | null) =>
      skills.some((skill) => isMovable(tree, { kind: "skill", skill }, id));
    const options = [...tree.folders.values()]
      .filter(({ id }) => canHold(id))
      .map(({ id, path }) => ({ value: id, label: path }));
    return canHold(null) ? [{ value: root, label: "/ (outside of all folders)" }, ...options] : options;
  }, [tree, skills]);
  return (
    <Select
      label="Folder"
      placeholder="Type part of its path"
      data={folders}
      searchable
      limit={100}
      nothingFoundMessage="No folder has this in its path"
      data-autofocus
      onChange={(value) => onChange(value === null ? undefined : { folderId: value === root ? null : value })}
    />
  );
}

function VisibilityField({ onChange }: FieldProps) {
  return (
    <Select
      label="Visibility"
      placeholder="Choose one"
      data={visibilities}
      data-autofocus
      onChange={(value) => {
        const visibility = visibilities.find((one) => one === value);
        onChange(visibility && { visibility });
      }}
    />
  );
}

function TagFields({ skills, onChange }: FieldProps) {
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const present = useMemo(() => [...new Set(skills.flatMap(({ tags }) => tags))].toSorted(), [skills]);
  const change = (part: { add?: string[]; remove?: string[] }) => {
    const next = { add, remove, ...part };
    setAdd(next.add);
    setRemove(next.remove);
    onChange(next.add.length + next.remove.length === 0 ? undefined : next);
  };
  return (
    <>
      <TagsInput
        label="Add"
        description={`A skill has at most ${limits.tagsPerSkill} tags. Press Enter after each.`}
        value={add}
        maxTags={limits.tagsPerSkill}
        data-autofocus
        onChange={(tags) => change({ add: tags })}
      />
      {present.length > 0 && (
        <MultiSelect
          label="Remove"
          data={present}
          value={remove}
          searchable
          onChange={(tags) => change({ remove: tags })}
        />
      )}
    </>
  );
}
