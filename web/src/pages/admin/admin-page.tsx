import "./admin.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { identityQuery } from "../../api/account/session.ts";
import { Page } from "../../parts/page/page.tsx";
import { TabNav } from "../../parts/page/tab-nav.tsx";
import { NotFound } from "../../parts/states/not-found.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";

const tabs = [
  { to: "/admin/jobs", label: "Jobs" },
  { to: "/admin/connections", label: "Connections" },
  { to: "/admin/users", label: "Users" },
  { to: "/admin/organizations", label: "Organizations" },
  { to: "/admin/audit", label: "Audit log" },
  { to: "/admin/health", label: "Health" },
  { to: "/admin/settings", label: "Settings" },
  { to: "/admin/held-versions", label: "Held versions" },
  { to: "/admin/signing-keys", label: "Signing keys" },
] as const;

interface Props {
  title: string;
  /** One sentence below the title. */
  about: string;
  actions?: ReactNode;
  /** Shown next to the title. */
  status?: ReactNode;
  children: ReactNode;
}

/** The frame of the administration. For everyone else it is the page of an address that does not exist. */
export function AdminPage({ title, about, actions, status, children }: Props) {
  const { data: identity, error, refetch } = useQuery(identityQuery);
  if (identity && !identity.isAdministrator) return <NotFound />;
  if (identity === null) return <NotFound />;
  const isOverview = title === "Administration";
  return (
    <Page
      title={isOverview ? title : `${title} · Administration`}
      crumbs={
        isOverview
          ? [{ label: title }]
          : [{ label: "Administration", link: { to: "/admin" } }, { label: title }]
      }
      actions={identity ? actions : undefined}
    >
      <div className="page admin stack gap-4">
        <div className="page-head">
          <div>
            <h1>{title}</h1>
            <p className="sub">{about}</p>
          </div>
          {identity && status}
        </div>
        <Tabs />
        <Problem error={error} retry={() => void refetch()} />
        {identity ? children : !error && <SkeletonRows rows={6} />}
      </div>
    </Page>
  );
}

function Tabs() {
  return (
    <TabNav label="Administration">
      <Link to="/admin" activeOptions={{ exact: true }}>
        Overview
      </Link>
      {tabs.map(({ to, label }) => (
        <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
    </TabNav>
  );
}
