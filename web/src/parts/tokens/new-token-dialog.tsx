import { Modal, Select, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Info } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import type { NewToken } from "../../api/account/tokens.ts";
import { Command } from "../copy/command.tsx";
import { DialogForm } from "../forms/dialog-form.tsx";
import { fieldError } from "../forms/form.tsx";
import { FolderChoice, type FolderOption } from "./folder-choice.tsx";
import { ScopeChoice, type Scopes } from "./scope-choice.tsx";
import { summaryOf } from "./summary.ts";
import { TokenSecret } from "./token-secret.tsx";
import "./tokens.css";

const dayMs = 86_400_000;
const never = "never";
const terms = [7, 30, 90, 365];
const readOnly: Scopes = { skill: ["read"] };

interface Props {
  /** Who the token acts as, as in `you`: without a limit, it may do the same. */
  holder: string;
  /** Longest lifetime in days, or null without a limit. */
  maxDays: number | null;
  folders: readonly FolderOption[];
  /** Whether the creator can give the permission. */
  isHeld: (group: string, action: string) => boolean;
  create: (token: NewToken) => Promise<{ name: string; token: string }>;
  onClose: () => void;
}

interface Draft {
  name: string;
  term: string;
  scopes: Scopes | undefined;
  folderIds: string[] | undefined;
}

function termOptions(maxDays: number | null) {
  const days = maxDays === null ? terms : [...new Set([...terms.filter((one) => one < maxDays), maxDays])];
  const options = days.map((one) => ({ value: String(one), label: `${one} days` }));
  return maxDays === null ? [...options, { value: never, label: "Never" }] : options;
}

const bodyOf = ({ name, term, scopes, folderIds }: Draft): NewToken => ({
  name: name.trim(),
  expiresInDays: term === never ? undefined : Number(term),
  scopes,
  allowedFolderIds: folderIds,
});

/** Name, expiry, scopes and folders of a token, with a sentence that sums them up; then its secret, once. */
export function NewTokenDialog({ create, onClose, ...props }: Props) {
  const options = termOptions(props.maxDays);
  const [draft, setDraft] = useState<Draft>({
    name: "",
    term: options.some(({ value }) => value === "30") ? "30" : options[0]!.value,
    scopes: readOnly,
    folderIds: undefined,
  });
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  // The cache of mutations must not keep the secret once it was shown.
  const creating = useMutation({ mutationFn: () => create(bodyOf(draft)), gcTime: 0 });
  if (creating.data)
    return (
      <TokenSecret title={`Token ${creating.data.name}`} secret={creating.data.token} onClose={onClose}>
        <p className="sub">
          Programs read it from the environment variable <code className="mono">SVC_TOKEN</code>. With it,
          this command lists the skills that the token can read:
        </p>
        <Command text={`SVC_API_URL=${location.origin} svc list`} />
      </TokenSecret>
    );
  return (
    <Modal opened onClose={onClose} title="New token" size="lg" closeOnClickOutside={false}>
      <DialogForm
        label="New token"
        action="Create token"
        isReady={draft.name.trim() !== "" && draft.folderIds?.length !== 0}
        isPending={creating.isPending}
        error={creating.error}
        fields={["name", "expiresInDays"]}
        onSubmit={() => creating.mutate()}
        onClose={onClose}
      >
        <Basics draft={draft} options={options} error={creating.error} onChange={change} />
        <Limits {...props} draft={draft} onChange={change} />
      </DialogForm>
    </Modal>
  );
}

interface PartProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}
type BasicsProps = PartProps & { options: { value: string; label: string }[]; error: unknown };

function Basics({ draft: { name, term }, options, error, onChange }: BasicsProps) {
  return (
    <>
      <TextInput
        label="Name"
        placeholder="Where it is used, such as release pipeline"
        required
        data-autofocus
        maxLength={limits.tokenName}
        value={name}
        error={fieldError(error, "name")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Select
        label="Expires after"
        data={options}
        value={term}
        allowDeselect={false}
        description={term === never ? "A token that never expires stays valid if it leaks." : undefined}
        error={fieldError(error, "expiresInDays")}
        onChange={(value) => onChange({ term: value ?? "30" })}
      />
    </>
  );
}

type LimitsProps = PartProps & Pick<Props, "holder" | "folders" | "isHeld">;

function Limits({ holder, folders, isHeld, draft: { term, scopes, folderIds }, onChange }: LimitsProps) {
  const [now] = useState(() => Date.now());
  const paths = folderIds && folders.filter(({ id }) => folderIds.includes(id)).map(({ path }) => path);
  const expiresAt = term === never ? undefined : new Date(now + Number(term) * dayMs);
  return (
    <>
      <Switch
        label="Limit what it may do"
        description={`Without a limit it may do everything that ${holder} may do.`}
        checked={scopes !== undefined}
        onChange={(event) => onChange({ scopes: event.currentTarget.checked ? readOnly : undefined })}
      />
      {scopes && (
        <ScopeChoice scopes={scopes} isHeld={isHeld} onChange={(next) => onChange({ scopes: next })} />
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
      <p className="note accent" role="status">
        <Info className="icon" />
        <span>{summaryOf({ holder, scopes, folders: paths }, expiresAt)}</span>
      </p>
    </>
  );
}
