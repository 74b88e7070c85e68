import { Button, Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { identityQuery } from "../../../api/account/session.ts";
import { noAuditFilter, type AuditFilter } from "../../../api/organization/audit.ts";
import { DialogForm } from "../../forms/dialog-form.tsx";
import { keyOf, readSaved, writeSaved, type SavedFilter } from "./saved.ts";

interface Props {
  organizationId: string;
  filter: AuditFilter;
  onApply: (filter: AuditFilter) => void;
}

const maxSaved = 20;

/** Filters under names, which this browser keeps for the user and the organization. */
export function SavedFilters({ organizationId, filter, onApply }: Props) {
  const { data: identity } = useQuery(identityQuery);
  const owner = `${identity?.id ?? ""}:${organizationId}`;
  const [saved, setSaved] = useState(() => readSaved(owner));
  const [isNaming, setNaming] = useState(false);
  const change = (next: SavedFilter[]) => {
    setSaved(next);
    writeSaved(owner, next);
  };
  const current = keyOf(filter);
  const isSaved = saved.some((one) => keyOf(one.filter) === current);
  return (
    <>
      {saved.map((one) => (
        <span key={one.name} className="tag saved-filter" data-current={keyOf(one.filter) === current}>
          <button
            type="button"
            aria-pressed={keyOf(one.filter) === current}
            onClick={() => onApply({ ...noAuditFilter, ...one.filter })}
          >
            {one.name}
          </button>
          <button
            type="button"
            aria-label={`Remove the filter ${one.name}`}
            onClick={() => change(saved.filter(({ name }) => name !== one.name))}
          >
            <X size={12} />
          </button>
        </span>
      ))}
      {current !== keyOf({}) && !isSaved && saved.length < maxSaved && (
        <Button size="compact-sm" variant="default" onClick={() => setNaming(true)}>
          Save filter
        </Button>
      )}
      {isNaming && (
        <NameDialog
          taken={saved.map(({ name }) => name)}
          onName={(name) => {
            change([...saved, { name, filter: JSON.parse(current) as AuditFilter }]);
            setNaming(false);
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

interface NameProps {
  taken: string[];
  onName: (name: string) => void;
  onClose: () => void;
}

function NameDialog({ taken, onName, onClose }: NameProps) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const submit = () => {
    const text = name.trim();
    if (text === "") return setProblem("Enter a name.");
    if (taken.includes(text)) return setProblem(`There is a filter "${text}" already.`);
    onName(text);
  };
  return (
    <Modal opened onClose={onClose} title="Save filter">
      <DialogForm
        label="Save filter"
        action="Save"
        isPending={false}
        error={undefined}
        onSubmit={submit}
        onClose={onClose}
      >
        <TextInput
          label="Name"
          description="Kept in this browser, for you only."
          data-autofocus
          maxLength={40}
          value={name}
          error={problem}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </DialogForm>
    </Modal>
  );
}
