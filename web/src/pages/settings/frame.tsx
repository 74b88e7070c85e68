import "./settings.css";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Identity } from "../../api/account/session.ts";
import { Page } from "../../parts/page/page.tsx";
import { SignedIn } from "../../parts/page/signed-in.tsx";
import { TabNav } from "../../parts/page/tab-nav.tsx";

const tabs = [
  { to: "/settings/profile", label: "Profile" },
  { to: "/settings/account", label: "Account" },
  { to: "/settings/security", label: "Security" },
  { to: "/settings/tokens", label: "Tokens" },
  { to: "/settings/applications", label: "Applications" },
  { to: "/settings/connectors", label: "Connectors" },
  { to: "/settings/installs", label: "Installs" },
  { to: "/settings/notifications", label: "Notifications" },
  { to: "/settings/activity", label: "Activity" },
] as const;

interface Props {
  title: string;
  /** One sentence below the title. */
  about: string;
  actions?: ReactNode;
  children: (identity: Identity) => ReactNode;
}

/** The frame of the pages about the user's own account. */
export function SettingsPage({ title, about, actions, children }: Props) {
  return (
    <Page title={`${title} · Settings`} crumbs={[{ label: "Settings" }, { label: title }]} actions={actions}>
      <div className="page settings stack gap-6">
        <SettingsTabs />
        <SignedIn head={<SettingsHead title={title} about={about} />}>{children}</SignedIn>
      </div>
    </Page>
  );
}

export function SettingsTabs() {
  return (
    <TabNav label="Settings">
      {tabs.map(({ to, label }) => (
        <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
      <Link to="/settings/appearance">Appearance</Link>
    </TabNav>
  );
}

export function SettingsHead({ title, about }: { title: string; about: string }) {
  return (
    <div>
      <h1>{title}</h1>
      <p className="sub">{about}</p>
    </div>
  );
}
