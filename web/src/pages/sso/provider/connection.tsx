import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import { isConnected, type SsoProvider } from "../../../api/organization/sso.ts";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { CertificateState } from "./badges.tsx";
import { draftOf, isComplete, samlOf, type ConnectionDraft } from "./connection-draft.ts";
import { ConnectionFields } from "./connection-fields.tsx";
import { useSave } from "./use-save.ts";

interface Props {
  org: string;
  provider: SsoProvider;
}

/** The settings of the identity provider, and when its certificates expire. */
export function Connection({ org, provider }: Props) {
  const [isEditing, setEditing] = useState(false);
  const hasConnection = isConnected(provider);
  return (
    <section className="panel" aria-labelledby="connection-heading">
      <header className="row between">
        <h2 id="connection-heading">Connection</h2>
        {hasConnection && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            Change
          </Button>
        )}
      </header>
      <div className="body stack gap-4">
        {provider.saml && <SamlFacts saml={provider.saml} />}
        {provider.oidc && <OidcFacts oidc={provider.oidc} />}
        {!hasConnection && (
          <>
            <p className="sub">
              {provider.type === "saml"
                ? "Enter the values above at your identity provider, then its metadata here."
                : "Enter the value above at your identity provider, then its issuer and the client's id and secret here."}
            </p>
            <Button w="fit-content" onClick={() => setEditing(true)}>
              Enter connection
            </Button>
          </>
        )}
      </div>
      {isEditing && <ConnectionDialog org={org} provider={provider} onClose={() => setEditing(false)} />}
    </section>
  );
}

function SamlFacts({ saml }: { saml: NonNullable<SsoProvider["saml"]> }) {
  const { entityId, ssoUrl, metadataUrl, metadataReadAt, metadataValidUntil, metadataError, certificates } =
    saml;
  return (
    <>
      <dl className="record">
        <dt>Entity ID</dt>
        <dd className="mono wrap-text">{entityId}</dd>
        <dt>Sign-on URL</dt>
        <dd className="mono wrap-text">{ssoUrl}</dd>
        {metadataUrl !== undefined && (
          <>
            <dt>Metadata</dt>
            <dd className="wrap-text">
              <span className="mono">{metadataUrl}</span>
              {metadataReadAt !== undefined && (
                <span className="meta">
                  {" "}
                  read <Time value={metadataReadAt} />
                </span>
              )}
            </dd>
          </>
        )}
        {metadataValidUntil !== undefined && (
          <>
            <dt>Metadata</dt>
            <dd>
              valid until <Time value={metadataValidUntil} />
            </dd>
          </>
        )}
        {certificates.map(({ fingerprint, subject, notAfter, expired }) => (
          <CertificateFacts key={fingerprint} {...{ fingerprint, subject, notAfter, expired }} />
        ))}
      </dl>
      {metadataError !== undefined && (
        <p className="note warn">The metadata could not be read: {metadataError}</p>
      )}
      {certificates.map((certificate) => (
        <CertificateState key={certificate.fingerprint} certificate={certificate} />
      ))}
    </>
  );
}

const CertificateFacts = (certificate: NonNullable<SsoProvider["saml"]>["certificates"][number]) => (
  <>
    <dt>Certificate</dt>
    <dd className="wrap-text">
      {certificate.subject}, {certificate.expired ? "expired" : "expires"}{" "}
      <Time value={certificate.notAfter} />
      <span className="meta mono block">SHA-256 {certificate.fingerprint}</span>
    </dd>
  </>
);

const OidcFacts = ({ oidc }: { oidc: NonNullable<SsoProvider["oidc"]> }) => (
  <dl className="record">
    <dt>Issuer</dt>
    <dd className="mono wrap-text">{oidc.issuer}</dd>
    <dt>Client ID</dt>
    <dd className="mono wrap-text">{oidc.clientId}</dd>
    <dt>Secret</dt>
    <dd>stored encrypted</dd>
  </dl>
);

function ConnectionDialog({ org, provider, onClose }: Props & { onClose: () => void }) {
  const [draft, setDraft] = useState<ConnectionDraft>(() => draftOf(provider));
  const save = useSave(org, provider.id, onClose);
  const title = isConnected(provider) ? "Change connection" : "Enter connection";
  const submit = () => {
    const { issuer, clientId, clientSecret } = draft;
    if (draft.type === "saml") save.mutate({ saml: samlOf(draft) });
    else
      save.mutate({
        oidc: {
          issuer: issuer.trim(),
          clientId: clientId.trim(),
          clientSecret: clientSecret === "" ? undefined : clientSecret,
        },
      });
  };
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
      <DialogForm
        label={title}
        action="Save"
        isReady={isComplete(draft, provider)}
        isPending={save.isPending}
        error={save.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <ConnectionFields
          draft={draft}
          hasSecret={provider.oidc !== undefined}
          error={save.error}
          onChange={(part) => setDraft((old) => ({ ...old, ...part }))}
        />
        {isConnected(provider) && (
          <p className="meta">Sign-ins in progress fail, and the connection has to be tested again.</p>
        )}
      </DialogForm>
    </Modal>
  );
}
