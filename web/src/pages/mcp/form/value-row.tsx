import { ActionIcon, Select, Switch, TextInput } from "@mantine/core";
import { Trash2 } from "lucide-react";
import { limits } from "../../../../../contract/limits.ts";
import { mcpValueFormats, type McpValueFormat } from "../../../../../contract/vocabulary.ts";
import { Segments } from "../../../parts/page/segments.tsx";
import type { ValueDraft } from "./draft.ts";

interface Props {
  title: string;
  value: ValueDraft;
  /** It has no fixed value. */
  isMemberOnly: boolean;
  /** It was added just now, so its name is typed next. */
  isAdded: boolean;
  problems: Record<string, string>;
  onChange: (part: Partial<ValueDraft>) => void;
  onRemove: () => void;
}

/** The button that added the row may be gone, and the focus with it. */
const focus = (input: HTMLInputElement | null) => input?.focus();

/** One variable or header: its name, and either its value or what each member is asked for. */
export function ValueRow({ title, value, isMemberOnly, isAdded, problems, onChange, onRemove }: Props) {
  const isMember = isMemberOnly || value.kind === "member";
  return (
    <fieldset className="mcp-value stack gap-3">
      <legend className="visually-hidden">{title}</legend>
      <div className="row name-row">
        <TextInput
          className="grow"
          label="Name"
          maxLength={limits.mcpValueName}
          value={value.name}
          error={problems["name"]}
          ref={isAdded ? focus : undefined}
          spellCheck={false}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove ${value.name || title.toLowerCase()}`}
          onClick={onRemove}
        >
          <Trash2 size={16} />
        </ActionIcon>
      </div>
      {!isMemberOnly && (
        <Segments
          label={`Who supplies ${value.name || title.toLowerCase()}`}
          data={[
            { value: "member", label: "Each member" },
            { value: "fixed", label: "Fixed value" },
          ]}
          value={value.kind}
          onChange={(kind) => onChange({ kind })}
        />
      )}
      {isMember ? (
        <MemberFields value={value} problems={problems} onChange={onChange} />
      ) : (
        <TextInput
          label="Value"
          description="The same for everyone. Everyone who sees the server can read it."
          maxLength={limits.mcpFixedValue}
          value={value.value}
          error={problems["value"]}
          spellCheck={false}
          onChange={(event) => onChange({ value: event.currentTarget.value })}
        />
      )}
    </fieldset>
  );
}

function MemberFields({ value, problems, onChange }: Pick<Props, "value" | "problems" | "onChange">) {
  return (
    <>
      <div className="mcp-pair">
        <TextInput
          label="Label"
          placeholder={value.name || "API token"}
          maxLength={limits.mcpValueLabel}
          value={value.label}
          error={problems["label"]}
          onChange={(event) => onChange({ label: event.currentTarget.value })}
        />
        <Select
          label="Format"
          data={mcpValueFormats.map((format) => ({ value: format, label: formats[format] }))}
          value={value.format}
          allowDeselect={false}
          onChange={(format) => format && onChange({ format })}
        />
      </div>
      <TextInput
        label="Description"
        placeholder="Where to find it"
        maxLength={limits.mcpValueDescription}
        value={value.description}
        error={problems["description"]}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <div className="row wrap">
        <Switch
          label="Secret"
          checked={value.secret}
          onChange={(event) => onChange({ secret: event.currentTarget.checked })}
        />
        <Switch
          label="Required"
          checked={value.required}
          onChange={(event) => onChange({ required: event.currentTarget.checked })}
        />
      </div>
    </>
  );
}

const formats: Record<McpValueFormat, string> = {
  string: "text",
  number: "number",
  boolean: "yes or no",
  filepath: "path of a file",
};
