import { PasswordInput, Textarea, TextInput } from "@mantine/core";
import { limits } from "../../../../../contract/limits.ts";
import { fieldError } from "../../../parts/forms/form.tsx";
import { Segments } from "../../../parts/page/segments.tsx";
import { samlForms, type ConnectionDraft } from "./connection-draft.ts";

interface Props {
  draft: ConnectionDraft;
  /** The current secret stays if none is entered. */
  hasSecret: boolean;
  error: unknown;
  onChange: (part: Partial<ConnectionDraft>) => void;
}

const plain = { autoComplete: "off", spellCheck: false, autoCapitalize: "none" } as const;
const names = { url: "Metadata URL", xml: "Metadata XML", fields: "Fields" };

/** How the service reaches the identity provider, and recognizes its responses. */
export function ConnectionFields(props: Props) {
  return props.draft.type === "saml" ? <SamlFields {...props} /> : <OidcFields {...props} />;
}

function SamlFields({ draft, error, onChange }: Props) {
  const { form, metadataUrl, metadataXml } = draft;
  return (
    <>
      <Segments
        label="Settings of the provider"
        data={samlForms.map((value) => ({ value, label: names[value] }))}
        value={form}
        onChange={(next) => onChange({ form: next })}
      />
      {form === "url" && (
        <TextInput
          label="Metadata URL"
          description="Read now, and every day, so that new certificates arrive without you."
          placeholder="https://idp.example.com/metadata"
          inputMode="url"
          {...plain}
          value={metadataUrl}
          error={fieldError(error, "saml.metadataUrl")}
          onChange={(event) => onChange({ metadataUrl: event.currentTarget.value })}
        />
      )}
      {form === "xml" && (
        <Textarea
          label="Metadata XML"
          description="The file that the identity provider offers. It is not read again: replace it before its certificate expires."
          rows={6}
          maxLength={limits.ssoMetadataBytes}
          {...plain}
          value={metadataXml}
          error={fieldError(error, "saml.metadataXml")}
          onChange={(event) => onChange({ metadataXml: event.currentTarget.value })}
        />
      )}
      {form === "fields" && <ManualFields draft={draft} error={error} onChange={onChange} />}
    </>
  );
}

function ManualFields({ draft, error, onChange }: Omit<Props, "hasSecret">) {
  const { entityId, ssoUrl, certificates } = draft;
  return (
    <>
      <TextInput
        label="Entity ID of the provider"
        description="Also called issuer."
        {...plain}
        value={entityId}
        error={fieldError(error, "saml.entityId")}
        onChange={(event) => onChange({ entityId: event.currentTarget.value })}
      />
      <TextInput
        label="Single sign-on URL"
        description="For HTTP-Redirect."
        inputMode="url"
        {...plain}
        value={ssoUrl}
        error={fieldError(error, "saml.ssoUrl")}
        onChange={(event) => onChange({ ssoUrl: event.currentTarget.value })}
      />
      <Textarea
        label="Certificates"
        description="In PEM. Enter both during a rollover."
        placeholder="-----BEGIN CERTIFICATE-----"
        rows={5}
        {...plain}
        value={certificates}
        error={fieldError(error, "saml.certificates")}
        onChange={(event) => onChange({ certificates: event.currentTarget.value })}
      />
    </>
  );
}

function OidcFields({ draft, hasSecret, error, onChange }: Props) {
  const { issuer, clientId, clientSecret } = draft;
  return (
    <>
      <TextInput
        label="Issuer"
        description="Its discovery document is read from /.well-known/openid-configuration below it."
        placeholder="https://idp.example.com"
        inputMode="url"
        {...plain}
        value={issuer}
        error={fieldError(error, "oidc.issuer")}
        onChange={(event) => onChange({ issuer: event.currentTarget.value })}
      />
      <TextInput
        label="Client ID"
        {...plain}
        value={clientId}
        error={fieldError(error, "oidc.clientId")}
        onChange={(event) => onChange({ clientId: event.currentTarget.value })}
      />
      <PasswordInput
        label="Client secret"
        description={
          hasSecret
            ? "Leave it empty to keep the current one, which belongs to the current issuer."
            : "Stored encrypted, and never shown again."
        }
        autoComplete="off"
        value={clientSecret}
        error={fieldError(error, "oidc.clientSecret")}
        onChange={(event) => onChange({ clientSecret: event.currentTarget.value })}
      />
    </>
  );
}
