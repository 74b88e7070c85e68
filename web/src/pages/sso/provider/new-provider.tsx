import { Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { createProvider, providersQuery, type SsoProvider } from "../../../api/organization/sso.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { fieldError } from "../../../parts/forms/form.tsx";
import { Segments } from "../../../parts/page/segments.tsx";

const types = [
  { value: "saml", label: "SAML 2.0" },
  { value: "oidc", label: "OpenID Connect" },
] as const;

/** Adds a provider without a connection, then shows it with the values to enter at the identity provider. */
export function NewProvider({ org, onClose }: { org: string; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [type, setType] = useState<SsoProvider["type"]>("saml");
  const create = useMutation({
    mutationFn: () => createProvider(org, { name: name.trim(), type }),
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
        isReady={name.trim() !== ""}
        isPending={create.isPending}
        error={create.error}
        fields={["name"]}
        onSubmit={() => create.mutate()}
        onClose={onClose}
      >
        <Introduction />
        <Segments label="Protocol" data={[...types]} value={type} onChange={setType} />
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
      </DialogForm>
    </Modal>
  );
}

const Introduction = () => (
  <p className="sub">
    The next page has the addresses of this service that your identity provider asks for, and takes the
    settings that it offers in return. No one can sign in through the provider before you enable it.
  </p>
);
