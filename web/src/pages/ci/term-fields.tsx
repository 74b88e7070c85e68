import { Select, TextInput } from "@mantine/core";
import { limits } from "../../../../contract/limits.ts";
import type { Issuer } from "../../api/ci.ts";
import { fieldError } from "../../parts/form.tsx";
import type { Draft } from "./draft.ts";
import { providers } from "./providers.ts";

interface Props {
  draft: Draft;
  issuers: Issuer[];
  /** The provider and the issuer of an existing policy can't be changed. */
  isNew: boolean;
  error: unknown;
  onChange: (part: Partial<Draft>) => void;
}

/** Which pipelines are trusted. */
export function TermFields({ draft, issuers, isNew, error, onChange }: Props) {
  const texts = providers[draft.provider];
  const labelOf = ({ provider, issuer }: Issuer) => `${providers[provider].name} (${new URL(issuer).host})`;
  const chosen = issuers.find(({ issuer }) => issuer === draft.issuer);
  return (
    <>
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={limits.policyName}
        value={draft.name}
        error={fieldError(error, "name")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      {isNew && (
        <Select
          label="CI provider"
          data={issuers.map((issuer) => ({ value: issuer.issuer, label: labelOf(issuer) }))}
          value={chosen?.issuer ?? null}
          allowDeselect={false}
          onChange={(value) => {
            const next = issuers.find(({ issuer }) => issuer === value);
            if (next) onChange({ provider: next.provider, issuer: next.issuer });
          }}
        />
      )}
      <TextInput
        label="Repository"
        required
        description={texts.repositoryHelp}
        maxLength={limits.policyRepository}
        value={draft.repository}
        error={fieldError(error, "repository")}
        onChange={(event) => onChange({ repository: event.currentTarget.value })}
      />
      <TextInput
        label="Ref"
        required
        description={texts.refHelp}
        maxLength={limits.policyRef}
        value={draft.ref}
        error={fieldError(error, "ref")}
        onChange={(event) => onChange({ ref: event.currentTarget.value })}
      />
      <TextInput
        label="Environment"
        description="Deployment environment that the job must run in. Leave it empty for all jobs."
        maxLength={limits.policyEnvironment}
        value={draft.environment}
        error={fieldError(error, "environment")}
        onChange={(event) => onChange({ environment: event.currentTarget.value })}
      />
    </>
  );
}
