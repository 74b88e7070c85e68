import { Button } from "@mantine/core";
import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { newValue, type ValueDraft, type ValueList } from "./draft.ts";
import type { FieldProps } from "./general-fields.tsx";
import { ValueRow } from "./value-row.tsx";

const texts = {
  env: {
    title: "Environment variables",
    one: "variable",
    hint: "The program receives them. A fixed value is stored as plain text: secrets are supplied by each member.",
  },
  headers: {
    title: "Headers",
    one: "header",
    hint: "Sent with each request. A fixed value is stored as plain text, and may contain {NAME}, such as Bearer {token}.",
  },
  variables: {
    title: "Values for placeholders",
    one: "value",
    hint: "Each member supplies the text that replaces {NAME} in an argument, the address or a header.",
  },
} as const;

interface Props extends FieldProps {
  list: ValueList;
  /** Names in placeholders that no value has. */
  missing?: readonly string[];
  onAddMissing?: (name: string) => void;
}

export function ValueFields({ list, draft, problems, onChange, missing = [], onAddMissing }: Props) {
  const values = draft[list];
  const { title, one, hint } = texts[list];
  const addButton = useRef<HTMLButtonElement>(null);
  const [shown] = useState(() => new Set(values.map(({ id }) => id)));
  const replace = (id: number, part: Partial<ValueDraft>) =>
    onChange({ [list]: values.map((value) => (value.id === id ? { ...value, ...part } : value)) });
  const own = (at: number) => {
    const prefix = `${list}.${at}.`;
    const entries = Object.entries(problems).filter(([path]) => path.startsWith(prefix));
    return Object.fromEntries(entries.map(([path, text]) => [path.slice(prefix.length), text]));
  };
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <div className="body stack gap-4">
        <p className="meta">{hint}</p>
        {values.map((value, at) => (
          <ValueRow
            key={value.id}
            title={`${one.charAt(0).toUpperCase()}${one.slice(1)} ${at + 1}`}
            value={value}
            isMemberOnly={list === "variables"}
            isAdded={!shown.has(value.id)}
            problems={own(at)}
            onChange={(part) => replace(value.id, part)}
            onRemove={() => {
              onChange({ [list]: values.filter(({ id }) => id !== value.id) });
              // The focus would be lost with the button that was pressed.
              addButton.current?.focus();
            }}
          />
        ))}
        <div className="row wrap">
          <Button
            ref={addButton}
            variant="default"
            size="xs"
            leftSection={<Plus size={14} />}
            disabled={values.length >= limits.mcpValues}
            onClick={() => onChange({ [list]: [...values, newValue()] })}
          >
            Add a {one}
          </Button>
          {missing.map((name) => (
            <Button key={name} variant="default" size="xs" onClick={() => onAddMissing?.(name)}>
              Add {`{${name}}`}
            </Button>
          ))}
        </div>
      </div>
    </section>
  );
}
