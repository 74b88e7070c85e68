import { useQuery } from "@tanstack/react-query";
import { createFileRoute, Link, useNavigate } from "@tanstack/react-router";
import { type SignInFilter, providersQuery } from "../../api/organization/sso.ts";
import { OrganizationPage, type Organization } from "../../parts/page/organization-page.tsx";
import { TabNav } from "../../parts/page/tab-nav.tsx";
import { AutoJoinPanel } from "./auto-join.tsx";
import { Domains } from "./domains.tsx";
import { ProviderView } from "./provider/view.tsx";
import { Providers } from "./providers.tsx";
import { SignIns } from "./sign-ins.tsx";
import "./sso.css";

/** The provider or the log that is shown in place of the overview, and the filter of the log. */
interface SsoSearch extends SignInFilter {
  view?: "log";
}

const textOf = (value: unknown) =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value) : undefined;

export const Route = createFileRoute("/$org/-/sso")({
  validateSearch: (raw: Record<string, unknown>): SsoSearch => ({
    view: raw["view"] === "log" ? "log" : undefined,
    provider: textOf(raw["provider"]),
    number: textOf(raw["number"]),
  }),
  component: SsoPage,
});

function SsoPage() {
  const { org } = Route.useParams();
  const { view, provider: id } = Route.useSearch();
  const providers = useQuery(providersQuery(org));
  const provider = view === "log" ? undefined : providers.data?.find((one) => one.id === id);
  return (
    <OrganizationPage
      org={org}
      title={provider?.name ?? "Single sign-on"}
      crumbs={provider ? [{ label: "Single sign-on", link: { to: "/$org/-/sso", params: { org } } }] : []}
      permission={["sso", "manage"]}
    >
      {(organization) =>
        provider ? (
          <ProviderView key={provider.id} org={org} organization={organization} provider={provider} />
        ) : (
          <Overview org={org} organization={organization} />
        )
      }
    </OrganizationPage>
  );
}

function Overview({ org, organization }: { org: string; organization: Organization }) {
  const { view, provider, number } = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  return (
    <div className="page stack gap-6">
      <div className="stack">
        <h1>Single sign-on</h1>
        <p className="sub">
          People sign in to <bdi>{organization.name}</bdi> with the account that they have at your identity
          provider.
        </p>
      </div>
      <TabNav label="Single sign-on">
        {(["setup", "log"] as const).map((tab) => (
          <Link
            key={tab}
            to="/$org/-/sso"
            params={{ org }}
            search={{ view: tab === "log" ? "log" : undefined }}
            activeOptions={{ explicitUndefined: true }}
          >
            {tab === "log" ? "Sign-in log" : "Set-up"}
          </Link>
        ))}
      </TabNav>
      {view === "log" ? (
        <SignIns
          org={org}
          filter={{ provider, number }}
          onFilter={(part) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true })}
        />
      ) : (
        <>
          <Providers org={org} />
          <Domains org={org} />
          <AutoJoinPanel org={org} organization={organization} />
        </>
      )}
    </div>
  );
}
