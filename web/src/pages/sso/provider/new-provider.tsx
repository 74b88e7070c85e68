import { Modal, SegmentedControl, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { createProvider, providersQuery } from "../../../api/sso.ts";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { fieldError } from "../../../parts/form.tsx";
import { draftOf, isComplete, samlOf } from "./connection-draft.ts";
import { ConnectionFields } from "./connection-fields.tsx";

const types = [
  { value: "saml", label: "SAML 2.0" },
  { value: "oidc", label: "OpenID Connect" },
] as const;

/** Adds a disabled provider, then shows it with the values to enter at the identity provider. */
export function NewProvider({ org, onClose }: { org: string; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [draft, setDraft] = useState(() => draftOf(undefined));
  const create = useMutation({
    mutationFn: () => {
      const { issuer, clientId, clientSecret } = draft;
      const fields = { issuer: issuer.trim(), clientId: clientId.trim(), clientSecret };
      return draft.type === "saml"
        ? createProvider(org, { name: name.trim(), type: "saml", saml: samlOf(draft) })
        : createProvider(org, { name: name.trim(), type: "oidc", oidc: fields });
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: providersQuery(org).queryKey });
      await navigate({ to: "/$org/-/sso", params: { org }, search: { provider: id } });
    },
  });
  return (
    <Modal opened onClose={onClose} title="Add identity provider" size="lg" closeOnClickOutside={false}>
      <DialogForm
        label="Add identity provider"
        action="Add provider"
        isReady={name.trim() !== "" && isComplete(draft, undefined)}
        isPending={create.isPending}
        error={create.error}
        fields={["name"]}
        onSubmit={() => create.mutate()}
        onClose={onClose}
      >
        <Introduction />
        <SegmentedControl
          aria-label="Protocol"
          size="xs"
          data={[...types]}
          value={draft.type}
          onChange={(type) => setDraft((old) => ({ ...old, type }))}
        />
        <TextInput
          label="Name"
          description="Shown on the sign-in page, such as the name of the company."
          maxLength={limits.policyName}
          autoComplete="off"
          data-autofocus
          value={name}
          error={fieldError(create.error, "name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ConnectionFields
          draft={draft}
          hasSecret={false}
          error={create.error}
          onChange={(part) => setDraft((old) => ({ ...old, ...part }))}
        />
      </DialogForm>
    </Modal>
  );
}

const Introduction = () => (
  <p className="sub">
    First create an application at your identity provider. If it asks for addresses of this service, enter
    any: the real ones are shown after this step. No one can sign in by the provider before you enable it.
  </p>
);
