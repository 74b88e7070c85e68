import { Combobox, Loader, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { addableSkillsQuery, type CollectionSkill } from "../../api/organization/collections.ts";
import { Problem } from "../../parts/states/problem.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

const debounceMs = 150;

interface Props {
  org: string;
  /** Skills that the collection has. */
  skills: readonly CollectionSkill[];
  onAdd: (skill: CollectionSkill) => void;
}

/** Finds a skill of the organization, as a search does, and adds it at the end. */
export function AddSkill({ org, skills, onAdd }: Props) {
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [text, setText] = useState("");
  const [typed] = useDebouncedValue(text.trim(), debounceMs);
  const found = useQuery(addableSkillsQuery(org, typed));
  const present = new Set(skills.map(({ id }) => id));
  const options = (found.data ?? []).filter(({ id }) => !present.has(id));
  if (skills.length >= limits.skillsPerCollection)
    return <p className="meta">A collection has at most {limits.skillsPerCollection} skills.</p>;
  const add = (id: string) => {
    const skill = options.find((one) => one.id === id);
    if (!skill) return;
    onAdd(skill);
    setText("");
    combobox.closeDropdown();
  };
  return (
    <>
      <Combobox store={combobox} onOptionSubmit={add}>
        <Combobox.Target>
          <TextInput
            aria-label="Add a skill"
            placeholder="Add a skill: its name, a tag or what it does"
            leftSection={<Search size={16} />}
            rightSection={found.isFetching && combobox.dropdownOpened ? <Loader size={14} /> : null}
            maxLength={limits.searchQuery}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              combobox.openDropdown();
              combobox.updateSelectedOptionIndex();
            }}
            onClick={() => combobox.openDropdown()}
            onBlur={() => combobox.closeDropdown()}
          />
        </Combobox.Target>
        <Combobox.Dropdown>
          <Combobox.Options mah={280} style={{ overflowY: "auto" }} aria-label="Skills">
            {options.map(({ id, slug, description }) => (
              <Combobox.Option key={id} value={id}>
                <b>{slug}</b>
                <span className="block clip meta">{visibleText(description)}</span>
              </Combobox.Option>
            ))}
            {options.length === 0 && (
              <Combobox.Empty>
                {found.isPending ? "Searching…" : "No other skill of the organization matches."}
              </Combobox.Empty>
            )}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      <Problem error={found.error} retry={() => void found.refetch()} />
    </>
  );
}
