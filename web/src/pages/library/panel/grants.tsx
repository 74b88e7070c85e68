import { ActionIcon, Button, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { folderLevels } from "../../../../../contract/vocabulary.ts";
import type { AccessDraft, Grant, Level } from "../../../api/folders.ts";
import { memberSearchQuery, teamsQuery } from "../../../api/organization/people.ts";
import { Initials } from "../../../parts/avatar.tsx";

interface Props {
  org: string;
  draft: AccessDraft;
  isEditable: boolean;
  onChange: (draft: AccessDraft) => void;
}

/** The members and teams with a grant on a folder. */
export function Grants({ org, draft, isEditable, onChange }: Props) {
  const [isAdding, setAdding] = useState(false);
  const change = (id: string, level: Level | undefined) =>
    onChange({
      ...draft,
      grants: draft.grants.flatMap((grant) => {
        if (grant.principal.id !== id) return [grant];
        return level ? [{ ...grant, level }] : [];
      }),
    });
  return (
    <div className="stack">
      <div className="row between">
        <h3>Grants on this folder</h3>
        {isEditable && !isAdding && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} />}
            onClick={() => setAdding(true)}
          >
            Add
          </Button>
        )}
      </div>
      {isAdding && (
        <AddGrant
          org={org}
          taken={draft.grants}
          onAdd={(grant) => {
            onChange({ ...draft, grants: [...draft.grants, grant] });
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {draft.grants.length === 0 && !isAdding && <p className="meta">No one has a grant here.</p>}
      <ul className="grants">
        {draft.grants.map((grant) => (
          <GrantRow key={grant.principal.id} grant={grant} isEditable={isEditable} onChange={change} />
        ))}
      </ul>
    </div>
  );
}

interface RowProps {
  grant: Grant;
  isEditable: boolean;
  onChange: (id: string, level: Level | undefined) => void;
}

function GrantRow({ grant: { principal, level }, isEditable, onChange }: RowProps) {
  const name = principal.name ?? "removed";
  return (
    <li className="row">
      <Initials name={name} />
      <span className="grow clip">
        {name} <span className="meta">{principal.type}</span>
      </span>
      {isEditable ? (
        <>
          <Select
            aria-label={`Level of ${name}`}
            size="xs"
            w={104}
            data={[...folderLevels]}
            value={level}
            allowDeselect={false}
            onChange={(value) => value && onChange(principal.id, value)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove the grant of ${name}`}
            onClick={() => onChange(principal.id, undefined)}
          >
            <X size={14} />
          </ActionIcon>
        </>
      ) : (
        <span className="badge">{level}</span>
      )}
    </li>
  );
}

interface AddProps {
  org: string;
  taken: Grant[];
  onAdd: (grant: Grant) => void;
  onClose: () => void;
}

function AddGrant({ org, taken, onAdd, onClose }: AddProps) {
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 200);
  const members = useQuery(memberSearchQuery(org, query));
  const teams = useQuery(teamsQuery(org));
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isFree = ({ value }: { value: string }) =>
    !taken.some(({ principal }) => value.endsWith(principal.id));
  const options = {
    team: (teams.data ?? []).map(({ id, name }) => ({ value: `team ${id}`, label: name })).filter(isFree),
    member: (members.data ?? [])
      .map(({ userId, username }) => ({ value: `member ${userId}`, label: username }))
      .filter(isFree),
  };
  const add = (value: string | null) => {
    const [type, id] = (value ?? "").split(" ") as [Grant["principal"]["type"], string];
    const name = options[type]?.find((option) => option.value === value)?.label;
    if (name !== undefined) onAdd({ principal: { type, id, name }, level: "viewer" });
  };
  return (
    <Select
      aria-label="Member or team"
      placeholder="Name of a member or team"
      size="xs"
      searchable
      ref={field}
      defaultDropdownOpened
      limit={50}
      searchValue={text}
      data={[
        { group: "Teams", items: options.team },
        { group: "Members", items: options.member },
      ]}
      nothingFoundMessage="No member or team has this name"
      onSearchChange={setText}
      onChange={add}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    />
  );
}
