import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { auditRanges, type AuditFilter, type AuditRange } from "../../../api/organization/audit.ts";

interface Props {
  filter: AuditFilter;
  onChange: (part: AuditFilter) => void;
}

const labels: Record<AuditRange, string> = { "1d": "Today", "7d": "Last 7 days", "30d": "Last 30 days" };
const custom = "custom";

/** A choice of common ranges of time, or of two days. */
export function TimeRange({ filter, onChange }: Props) {
  const { from, to, past } = filter;
  const [isCustom, setCustom] = useState(false);
  const hasDays = isCustom || from !== undefined || to !== undefined;
  const choose = (value: string) => {
    setCustom(value === custom);
    if (value === custom) return onChange({ past: undefined });
    onChange({
      from: undefined,
      to: undefined,
      past: auditRanges.find((one) => one === value),
    });
  };
  return (
    <>
      <NativeSelect
        label="Time"
        value={hasDays ? custom : (past ?? "")}
        data={[
          { value: "", label: "All 90 days" },
          ...auditRanges.map((value) => ({ value, label: labels[value] })),
          { value: custom, label: "Between two days" },
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {hasDays &&
        (["from", "to"] as const).map((key) => (
          <TextInput
            key={key}
            label={key === "from" ? "From" : "To"}
            type="date"
            value={filter[key] ?? ""}
            onChange={(event) => onChange({ [key]: event.currentTarget.value || undefined, past: undefined })}
          />
        ))}
    </>
  );
}
