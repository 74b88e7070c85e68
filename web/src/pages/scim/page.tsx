import { useQuery } from "@tanstack/react-query";
import { createFileRoute, Link, useNavigate } from "@tanstack/react-router";
import { scimQuery, type ScimState } from "../../api/organization/scim.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { TabNav } from "../../parts/page/tab-nav.tsx";
import { Groups } from "./groups.tsx";
import { Guide } from "./guide.tsx";
import { Log } from "./log.tsx";
import { readScimSearch, type ScimSearch } from "./search.ts";
import { Disabled, Enabled } from "./state.tsx";
import { Users } from "./users.tsx";
import "./scim.css";

export const Route = createFileRoute("/$org/-/scim")({
  validateSearch: readScimSearch,
  component: ScimPage,
});

function ScimPage() {
  const { org } = Route.useParams();
  const state = useQuery(scimQuery(org));
  return (
    <OrganizationPage
      org={org}
      title="SCIM"
      heading="SCIM provisioning"
      permission={["scim", "manage"]}
      subject={state}
    >
      {({ name }) => (
        <div className="page scim stack gap-6">
          <div className="stack">
            <h1>SCIM provisioning</h1>
            <p className="sub">
              Your identity provider adds members and teams to <bdi>{name}</bdi>, and ends the access of
              people who leave.
            </p>
          </div>
          {state.data && <View org={org} state={state.data} />}
        </div>
      )}
    </OrganizationPage>
  );
}

function View({ org, state }: { org: string; state: ScimState }) {
  const { view = "setup", query, state: inState, outcome } = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const onFilter = (part: ScimSearch) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  // Users, groups and requests of the past stay when SCIM is disabled.
  const wasEnabled = state.baseUrl !== null;
  return (
    <>
      {wasEnabled && <Tabs org={org} state={state} />}
      {(view === "setup" || !wasEnabled) && (
        <>
          {state.enabled ? <Enabled org={org} state={state} /> : <Disabled org={org} state={state} />}
          {state.enabled && state.baseUrl !== null && <Guide baseUrl={state.baseUrl} />}
        </>
      )}
      {wasEnabled && view === "users" && (
        <Users org={org} filter={{ query, state: inState }} onFilter={onFilter} />
      )}
      {wasEnabled && view === "groups" && <Groups org={org} isEnabled={state.enabled} />}
      {wasEnabled && view === "log" && <Log org={org} filter={{ query, outcome }} onFilter={onFilter} />}
    </>
  );
}

function Tabs({ org, state: { users, groups } }: { org: string; state: ScimState }) {
  const tabs = [
    { view: "setup", label: "Set-up" },
    { view: "users", label: "Users", count: users.active + users.inactive + users.invited },
    { view: "groups", label: "Groups", count: groups },
    { view: "log", label: "Log" },
  ] as const;
  return (
    <TabNav label="Provisioning">
      {tabs.map((tab) => (
        <Link
          key={tab.view}
          to="/$org/-/scim"
          params={{ org }}
          search={{ view: tab.view === "setup" ? undefined : tab.view }}
          activeOptions={{ explicitUndefined: true }}
        >
          {tab.label}
          {"count" in tab && <span className="counter">{tab.count.toLocaleString("en")}</span>}
        </Link>
      ))}
    </TabNav>
  );
}
