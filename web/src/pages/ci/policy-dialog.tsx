import { Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  createPolicy,
  policiesQuery,
  updatePolicy,
  type Issuer,
  type Policy,
} from "../../api/organization/ci.ts";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { draftOf, termsOf, type Draft } from "./draft.ts";
import { LimitFields } from "./limit-fields.tsx";
import { TermFields } from "./term-fields.tsx";

interface Props {
  org: string;
  organization: Organization;
  issuers: Issuer[];
  /** Undefined for a new one. */
  policy: Policy | undefined;
  /** Terms to begin with, in place of those of the policy. */
  proposed: Partial<Draft>;
  onClose: () => void;
}

/** Creates or changes a trust policy. */
export function PolicyDialog({ org, organization, issuers, policy, proposed, onClose }: Props) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => ({ ...draftOf(policy, issuers), ...proposed }));
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const saving = useMutation({
    mutationFn: () => {
      const terms = termsOf(draft);
      if (policy) return updatePolicy(org, policy.id, terms);
      return createPolicy(org, { ...terms, provider: draft.provider, issuer: draft.issuer });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: policiesQuery(org).queryKey });
      onClose();
    },
  });
  const title = policy ? `Edit ${policy.name}` : "New trust policy";
  const isComplete = [draft.name, draft.repository, draft.ref].every((text) => text.trim() !== "");
  const hasLimits = draft.folderIds?.length !== 0 && draft.skillIds?.length !== 0;
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
      <DialogForm
        label={title}
        action={policy ? "Save" : "Create policy"}
        isReady={isComplete && hasLimits}
        isPending={saving.isPending}
        error={saving.error}
        fields={["name", "repository", "ref", "workflow", "events", "environment"]}
        onSubmit={() => saving.mutate()}
        onClose={onClose}
      >
        <TermFields draft={draft} issuers={issuers} isNew={!policy} error={saving.error} onChange={change} />
        <LimitFields org={org} organization={organization} draft={draft} policy={policy} onChange={change} />
        {policy && (
          <p className="meta">
            Tokens that were made by the policy end with a change of anything but its name.
          </p>
        )}
      </DialogForm>
    </Modal>
  );
}
