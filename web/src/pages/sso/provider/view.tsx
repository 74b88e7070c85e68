import { Link } from "@tanstack/react-router";
import { isConnected, type SsoProvider } from "../../../api/organization/sso.ts";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { ProviderBadges } from "./badges.tsx";
import { Connection } from "./connection.tsx";
import { Encryption } from "./encryption.tsx";
import { Guide } from "./guide.tsx";
import { Mappings } from "./mappings.tsx";
import { Membership } from "./membership.tsx";
import { ProviderState } from "./state.tsx";
import { TestSignIn } from "./test-sign-in.tsx";

interface Props {
  org: string;
  organization: Organization;
  provider: SsoProvider;
}

/** One identity provider, in the order of its set-up. */
export function ProviderView({ org, organization, provider }: Props) {
  const { id, name } = provider;
  return (
    <div className="page stack gap-6">
      <div className="stack">
        <div className="row wrap">
          <h1 className="wrap-text">{name}</h1>
          <ProviderBadges provider={provider} />
        </div>
        {isConnected(provider) ? (
          <p>
            <Link to="/$org/-/sso" params={{ org }} search={{ view: "log", provider: id }}>
              Sign-ins through this provider
            </Link>
          </p>
        ) : (
          <p className="sub">
            Three steps: enter the values below at your identity provider, enter its connection here, then run
            a test sign-in. Until it is enabled, no one is led to it.
          </p>
        )}
      </div>
      <Guide provider={provider} />
      <Connection org={org} provider={provider} />
      {provider.type === "saml" && <Encryption org={org} provider={provider} />}
      <TestSignIn org={org} provider={provider} />
      <Membership org={org} organization={organization} provider={provider} />
      <Mappings org={org} provider={provider} />
      <ProviderState org={org} organization={organization} provider={provider} />
    </div>
  );
}
