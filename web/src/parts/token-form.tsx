import { Button, Group, MultiSelect, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { limits } from "../../../contract/limits.ts";
import { fieldError, Form } from "./form.tsx";
import { Problem } from "./problem.tsx";
import { describeScopes, TokenScopes, type Scopes } from "./token-scopes.tsx";

export interface NewToken {
  name: string;
  expiresInDays?: number;
  scopes?: Scopes;
  allowedFolderIds?: string[];
}

interface Props {
  /** Folders that the token may be limited to, by organization. */
  folders: { group: string; items: { value: string; label: string }[] }[];
  error: Error | null;
  isPending: boolean;
  onCreate: (token: NewToken) => void;
  onCancel: () => void;
}

const expiries = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "Never" },
];
const readOnly: Scopes = { skill: ["read"] };
const fields = ["name", "expiresInDays", "scopes", "allowedFolderIds"] as const;

/** Name, expiry, actions and folders of a new token, and a sentence that sums them up. */
export function TokenForm({ folders, error, isPending, onCreate, onCancel }: Props) {
  const [days, setDays] = useState("30");
  const [scopes, setScopes] = useState<Scopes | undefined>(readOnly);
  const [folderIds, setFolderIds] = useState<string[]>([]);
  const submit = ({ name = "" }: Record<string, string>) =>
    onCreate({
      name,
      ...(days === "" ? {} : { expiresInDays: Number(days) }),
      ...(scopes ? { scopes } : {}),
      ...(folderIds.length > 0 ? { allowedFolderIds: folderIds } : {}),
    });
  return (
    <Form label="New token" onSubmit={submit} error={error}>
      <Problem error={error} fields={fields} />
      <TextInput
        name="name"
        label="Name"
        description="What uses it, such as the name of a pipeline."
        maxLength={limits.tokenName}
        required
        data-autofocus
        error={fieldError(error, "name")}
      />
      <Select
        label="Expires"
        data={expiries}
        value={days}
        allowDeselect={false}
        onChange={(value) => setDays(value ?? "")}
        error={fieldError(error, "expiresInDays")}
      />
      {days === "" && (
        <p className="note warn">A token that never expires stays valid until you revoke it.</p>
      )}
      <Limits
        scopes={scopes}
        onScopes={setScopes}
        folders={folders}
        onFolders={setFolderIds}
        ids={folderIds}
      />
      <p className="note acc" role="status">
        {`The token ${describeScopes(scopes)}${folderText(folders, folderIds)}, ${expiryText(days)}.`}
      </p>
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isPending}>
          Create token
        </Button>
      </Group>
    </Form>
  );
}

interface LimitsProps {
  scopes: Scopes | undefined;
  onScopes: (scopes: Scopes | undefined) => void;
  folders: Props["folders"];
  ids: string[];
  onFolders: (ids: string[]) => void;
}

function Limits({ scopes, onScopes, folders, ids, onFolders }: LimitsProps) {
  return (
    <>
      <div className="stack">
        <span className="label">Access</span>
        <SegmentedControl
          aria-label="Access"
          size="xs"
          fullWidth
          value={scopes ? "some" : "all"}
          data={[
            { value: "some", label: "Chosen actions" },
            { value: "all", label: "Everything you may do" },
          ]}
          onChange={(value) => onScopes(value === "all" ? undefined : readOnly)}
        />
        {scopes && <TokenScopes value={scopes} onChange={onScopes} />}
      </div>
      {folders.length > 0 && (
        <MultiSelect
          label="Folders"
          description="Leave it empty to limit the token to no folder."
          placeholder={ids.length === 0 ? "All folders" : ""}
          data={folders}
          value={ids}
          onChange={onFolders}
          searchable
          limit={200}
          maxValues={limits.foldersPerToken}
          nothingFoundMessage="No folder matches"
        />
      )}
    </>
  );
}

function folderText(folders: Props["folders"], ids: string[]): string {
  if (ids.length === 0) return "";
  const all = folders.flatMap(({ group, items }) =>
    items.map(({ value, label }) => ({ value, path: `${group}/${label}` })),
  );
  const paths = ids.map((id) => all.find(({ value }) => value === id)?.path ?? "a folder");
  return ` in ${new Intl.ListFormat("en").format(paths)}`;
}

const day = new Intl.DateTimeFormat("en", { dateStyle: "long" });

const expiryText = (days: string) =>
  days === "" ? "until you revoke it" : `until ${day.format(Date.now() + Number(days) * 86_400_000)}`;
