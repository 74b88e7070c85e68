import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useRef, useState, type Ref } from "react";
import type { AuditFilter } from "../../api/organization/audit.ts";
import { useKeys } from "../keys.ts";

interface Props {
  filter: AuditFilter;
  /** Example of a filter by actions. */
  example?: string;
  /** `replace`: without an entry in the browser's history. */
  onFilter: (part: AuditFilter, replace?: boolean) => void;
}

/** Filters of a log, which the address of the page has. */
export function AuditFilters({ filter, example = "skill.created, folder.*", onFilter }: Props) {
  const first = useRef<HTMLInputElement>(null);
  const change = (part: AuditFilter) => onFilter(part, true);
  useKeys({ "/": () => first.current?.focus() });
  return (
    <div className="filters">
      <TextFilter
        label="Action"
        placeholder={example}
        value={filter.action}
        field={first}
        onChange={(action) => change({ action })}
      />
      <TextFilter
        label="Actor"
        placeholder="user name or id"
        value={filter.actor}
        onChange={(actor) => change({ actor })}
      />
      <TextFilter
        label="Resource"
        placeholder="id"
        value={filter.resource}
        onChange={(resource) => change({ resource })}
      />
      {(["from", "to"] as const).map((key) => (
        <TextInput
          key={key}
          label={key === "from" ? "From" : "To"}
          type="date"
          value={filter[key] ?? ""}
          onChange={(event) => change({ [key]: event.currentTarget.value || undefined })}
        />
      ))}
    </div>
  );
}

interface TextFilterProps {
  label: string;
  placeholder: string;
  value: string | undefined;
  field?: Ref<HTMLInputElement>;
  onChange: (value: string | undefined) => void;
}

/** A filter that is applied shortly after typing, and that follows the address. */
function TextFilter({ label, placeholder, value = "", field, onChange }: TextFilterProps) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    if (text.trim() !== value) setText(value);
  }
  const apply = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), 300);
  return (
    <TextInput
      ref={field}
      label={label}
      placeholder={placeholder}
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value);
      }}
    />
  );
}
