import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { isConnected, providersQuery, type SsoProvider } from "../../api/organization/sso.ts";
import { List } from "../../parts/lists/list-section.tsx";
import { Time } from "../../parts/text/time.tsx";
import { CertificateState, isEnding, ProviderBadges } from "./provider/badges.tsx";
import { NewProvider } from "./provider/new-provider.tsx";

/** The identity providers of the organization. */
export function Providers({ org }: { org: string }) {
  const found = useQuery(providersQuery(org));
  const { data } = found;
  const [isAdding, setAdding] = useState(false);
  return (
    <section className="panel" aria-labelledby="providers-heading">
      <header className="row between">
        <h2 id="providers-heading">Identity providers</h2>
        <Button
          size="xs"
          variant="default"
          leftSection={<Plus size={14} />}
          disabled={!data || data.length >= limits.ssoProviders}
          onClick={() => setAdding(true)}
        >
          Add provider
        </Button>
      </header>
      <div className="body stack gap-4">
        <List
          found={found}
          rows={2}
          empty={
            "No provider yet. Connect Okta, Entra ID, Google Workspace, Keycloak or another one with SAML 2.0 or " +
            "OpenID Connect, test the sign-in, then enable it."
          }
        >
          {(providers) => (
            <ul className="domains">
              {providers.map((provider) => (
                <ProviderItem key={provider.id} org={org} provider={provider} />
              ))}
            </ul>
          )}
        </List>
      </div>
      {isAdding && <NewProvider org={org} onClose={() => setAdding(false)} />}
    </section>
  );
}

function ProviderItem({ org, provider }: { org: string; provider: SsoProvider }) {
  const { id, name, type, lastSignInAt, testedAt, saml } = provider;
  return (
    <li className="stack">
      <div className="row wrap">
        <Link className="domain-name wrap-text" to="/$org/-/sso" params={{ org }} search={{ provider: id }}>
          <b>{name}</b>
        </Link>
        <ProviderBadges provider={provider} />
      </div>
      <p className="meta">
        {type === "saml" ? "SAML 2.0" : "OpenID Connect"} ·{" "}
        {lastSignInAt !== null ? (
          <>
            last sign-in <Time value={lastSignInAt} />
          </>
        ) : (
          "no sign-in yet"
        )}
        {isConnected(provider) && testedAt === null && " · not tested with the current connection"}
      </p>
      {saml?.certificates
        .filter((certificate) => isEnding(certificate))
        .map((certificate) => (
          <CertificateState key={certificate.fingerprint} certificate={certificate} />
        ))}
      {saml?.metadataError !== undefined && (
        <p className="note warn">The metadata could not be read: {saml.metadataError}</p>
      )}
    </li>
  );
}
