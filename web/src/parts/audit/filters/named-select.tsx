import { Select, type ComboboxItem } from "@mantine/core";
import { useState } from "react";

export interface OptionGroup {
  group: string;
  items: ComboboxItem[];
}

interface Props {
  label: string;
  placeholder: string;
  /** Label of the button that removes the choice. */
  none: string;
  groups: OptionGroup[];
  value: string | undefined;
  /** Name of the value, if it is known and not among the options. */
  valueLabel: string | undefined;
  /** The text that is searched; empty while something is chosen. */
  onSearch: (text: string) => void;
  onChange: (value: string | undefined) => void;
}

/** A choice by name from what a search finds. A name or id that it does not find can be used as it is typed. */
export function NamedSelect({
  label,
  placeholder,
  none,
  groups,
  value,
  valueLabel,
  onSearch,
  onChange,
}: Props) {
  const [text, setText] = useState("");
  const options = groups.flatMap(({ items }) => items);
  const chosen = options.find((option) => option.value === value);
  const typed = text.trim();
  const isTyped = typed !== "" && typed !== (chosen?.label ?? valueLabel ?? value);
  const isKnown = options.some((option) => option.value === typed || option.label === typed);
  const data = [
    ...groups.filter(({ items }) => items.length > 0),
    ...(isTyped && !isKnown && typed !== value
      ? [{ group: "As typed", items: [{ value: typed, label: `"${typed}"` }] }]
      : []),
    ...(value !== undefined && !chosen
      ? [{ group: "Chosen", items: [{ value, label: valueLabel ?? value }] }]
      : []),
  ];
  return (
    <Select
      label={label}
      placeholder={placeholder}
      searchable
      clearable
      clearButtonProps={{ "aria-label": none }}
      data={data}
      value={value ?? null}
      filter={({ options: found }) => found}
      onSearchChange={(next) => {
        setText(next);
        onSearch(next === (chosen?.label ?? valueLabel) ? "" : next);
      }}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}
