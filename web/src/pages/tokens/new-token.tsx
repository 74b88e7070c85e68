import { Button, Modal, Select, Switch, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Info } from "lucide-react";
import { useState } from "react";
import { ApiError } from "../../api/client.ts";
import { foldersQuery } from "../../api/session.ts";
import { createToken, tokensQuery, type CreatedToken, type NewToken } from "../../api/tokens.ts";
import type { Organization } from "../../parts/organization-page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { FolderChoice } from "./folder-choice.tsx";
import { Scopes } from "./scopes.tsx";
import { summaryOf } from "./summary.ts";

const dayMs = 86_400_000;
const never = "never";
const terms = [7, 30, 90, 365];

interface Props {
  org: string;
  organization: Organization;
  onCreated: (created: CreatedToken) => void;
  onClose: () => void;
}

function termOptions({ maxTokenDays }: Organization) {
  const days =
    maxTokenDays === null
      ? terms
      : [...new Set([...terms.filter((one) => one < maxTokenDays), maxTokenDays])];
  const options = days.map((one) => ({ value: String(one), label: `${one} days` }));
  return maxTokenDays === null ? [...options, { value: never, label: "Never" }] : options;
}

interface Draft {
  name: string;
  term: string;
  scopes: Record<string, string[]> | undefined;
  folderIds: string[] | undefined;
}

const bodyOf = ({ name, term, scopes, folderIds }: Draft): NewToken => ({
  name: name.trim(),
  ...(term === never ? {} : { expiresInDays: Number(term) }),
  ...(scopes ? { scopes } : {}),
  ...(folderIds ? { allowedFolderIds: folderIds } : {}),
});

/** Name, expiry, scopes and folders of a token, with a sentence that sums them up. */
export function NewTokenDialog({ org, organization, onCreated, onClose }: Props) {
  const client = useQueryClient();
  const options = termOptions(organization);
  const [draft, setDraft] = useState<Draft>({
    name: "",
    term: options.some(({ value }) => value === "30") ? "30" : options[0]!.value,
    scopes: { skill: ["read"] },
    folderIds: undefined,
  });
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const creating = useMutation({
    mutationFn: () => createToken(org, bodyOf(draft)),
    onSuccess: async (created) => {
      onCreated(created);
      onClose();
      await client.invalidateQueries({ queryKey: tokensQuery(org).queryKey });
    },
  });
  const nameError = creating.error instanceof ApiError ? creating.error.fields["name"] : undefined;
  return (
    <Modal opened onClose={onClose} title="New token" size="lg">
      <form
        className="stack g4"
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <Basics draft={draft} options={options} nameError={nameError} onChange={change} />
        <Limits org={org} organization={organization} draft={draft} onChange={change} />
        {nameError === undefined && <Problem error={creating.error} />}
        <div className="row wrap end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={creating.isPending}
            disabled={draft.name.trim() === "" || draft.folderIds?.length === 0}
          >
            Create token
          </Button>
        </div>
      </form>
    </Modal>
  );
}

interface PartProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}
type BasicsProps = PartProps & { options: { value: string; label: string }[]; nameError: string | undefined };

function Basics({ draft: { name, term }, options, nameError, onChange }: BasicsProps) {
  return (
    <>
      <TextInput
        label="Name"
        placeholder="Where it is used, such as release pipeline"
        required
        data-autofocus
        maxLength={100}
        value={name}
        error={nameError}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Select
        label="Expires after"
        data={options}
        value={term}
        allowDeselect={false}
        description={term === never ? "A token that never expires stays valid if it leaks." : undefined}
        onChange={(value) => onChange({ term: value ?? "30" })}
      />
    </>
  );
}

type LimitsProps = PartProps & Pick<Props, "org" | "organization">;

function Limits({ org, organization, draft: { term, scopes, folderIds }, onChange }: LimitsProps) {
  const { data: folders = [] } = useQuery(foldersQuery(org));
  const [now] = useState(() => Date.now());
  const paths = folderIds && folders.filter(({ id }) => folderIds.includes(id)).map(({ path }) => path);
  const expiresAt = term === never ? undefined : new Date(now + Number(term) * dayMs);
  return (
    <>
      <Switch
        label="Limit what it may do"
        description="Without a limit it has the permissions of an administrator."
        checked={scopes !== undefined}
        onChange={(event) =>
          onChange({ scopes: event.currentTarget.checked ? { skill: ["read"] } : undefined })
        }
      />
      {scopes && (
        <Scopes organization={organization} scopes={scopes} onChange={(next) => onChange({ scopes: next })} />
      )}
      <Switch
        label="Limit it to folders"
        description="Outside of them it reads nothing private and changes nothing."
        checked={folderIds !== undefined}
        onChange={(event) => onChange({ folderIds: event.currentTarget.checked ? [] : undefined })}
      />
      {folderIds && (
        <FolderChoice
          folders={folders}
          chosen={folderIds}
          onChange={(next) => onChange({ folderIds: next })}
        />
      )}
      <p className="note acc" role="status">
        <Info className="i" />
        <span>{summaryOf({ scopes, folders: paths, expiresAt })}</span>
      </p>
    </>
  );
}
