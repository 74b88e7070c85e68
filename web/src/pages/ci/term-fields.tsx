import { Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { limits } from "../../../../contract/limits.ts";
import { defaultCiEvents } from "../../../../contract/vocabulary.ts";
import type { Issuer } from "../../api/organization/ci.ts";
import { fieldError } from "../../parts/forms/form.tsx";
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
      <RunFields draft={draft} error={error} onChange={onChange} />
    </>
  );
}

/** Which runs of the repository are trusted. */
function RunFields({ draft, error, onChange }: Pick<Props, "draft" | "error" | "onChange">) {
  const texts = providers[draft.provider];
  const defaults = defaultCiEvents[draft.provider];
  return (
    <>
      <TextInput
        label="Ref"
        required
        description={texts.refHelp}
        maxLength={limits.policyRef}
        value={draft.ref}
        error={fieldError(error, "ref")}
        onChange={(event) => onChange({ ref: event.currentTarget.value })}
      />
      <Switch
        label="Protected branches and tags only"
        description="The ref must be protected at the provider."
        checked={draft.protectedRef}
        onChange={(event) => onChange({ protectedRef: event.currentTarget.checked })}
      />
      <TextInput
        label="Workflow file"
        description={texts.workflowHelp}
        maxLength={limits.policyWorkflow}
        value={draft.workflow}
        error={fieldError(error, "workflow")}
        onChange={(event) => onChange({ workflow: event.currentTarget.value })}
      />
      <TagsInput
        label="Events"
        placeholder="Add an event"
        description={`Leave it empty for ${defaults.join(", ")}. Press Enter after each.`}
        data={[...defaults, ...texts.events]}
        value={draft.events}
        maxTags={limits.eventsPerPolicy}
        error={fieldError(error, "events")}
        onChange={(events) => onChange({ events })}
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
