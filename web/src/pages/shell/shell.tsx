import { useQuery, type QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, Outlet, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { identityQuery } from "../../api/account/session.ts";
import { focusFilter } from "../../parts/filter-key.ts";
import { useKeys } from "../../parts/keys.ts";
import { onOpenNavigation } from "../../parts/page/navigation-event.ts";
import { Account } from "./account/account.tsx";
import { Find } from "./find.tsx";
import { Navigation } from "./navigation.tsx";
import { loadPalette, OpenedPalette } from "./opened-palette.tsx";
import { OrganizationMenu } from "./organization/organization-menu.tsx";
import { Questions } from "./questions.tsx";

const LiveUpdates = lazy(async () => ({
  default: (await import("../../live/live-updates.tsx")).LiveUpdates,
}));
const Notices = lazy(async () => ({ default: (await import("./notices.tsx")).Notices }));
const NavigationDrawer = lazy(async () => ({
  default: (await import("./navigation-drawer.tsx")).NavigationDrawer,
}));
const KeyHelp = lazy(async () => ({ default: (await import("./key-help.tsx")).KeyHelp }));

export const Route = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Shell,
});

function Shell() {
  const navigate = useNavigate();
  const [palette, setPalette] = useState<"closed" | "open" | "for-filter">("closed");
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [drawer, setDrawer] = useState<boolean | undefined>();
  const openPalette = () => setPalette("open");
  useEffect(() => onOpenNavigation(() => setDrawer(true)), []);
  useKeys({
    "mod+k": openPalette,
    "/": () => {
      if (!focusFilter()) setPalette("for-filter");
    },
    "g h": () => void navigate({ href: "/" }),
    "g e": () => void navigate({ to: "/explore" }),
    "?": () => setHelpOpen(true),
  });
  const side = (
    <>
      <OrganizationMenu />
      <Find onOpen={openPalette} onHover={() => void loadPalette()} />
      <Navigation />
      <Account onKeys={() => setHelpOpen(true)} />
    </>
  );
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <aside className="sidebar" aria-label="Navigation">
        {side}
      </aside>
      <div className="main">
        <Outlet />
      </div>
      {palette !== "closed" && (
        <OpenedPalette isForFilter={palette === "for-filter"} onClose={() => setPalette("closed")} />
      )}
      <Suspense>
        {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
        {drawer !== undefined && (
          <NavigationDrawer opened={drawer} onClose={() => setDrawer(false)}>
            {side}
          </NavigationDrawer>
        )}
        <Questions />
        <Later>
          <Notices />
          <LiveUpdates />
          <PreparedPalette />
        </Later>
      </Suspense>
    </div>
  );
}

/** Renders its content after the first page, whose load it would delay. */
function Later({ children }: { children: React.ReactNode }) {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), 1500);
    return () => clearTimeout(timer);
  }, []);
  return isLater ? children : null;
}

/** Loads the palette for signed-in users once the browser is idle. Visitors, who rarely open it, load it on demand. */
function PreparedPalette() {
  const { data: identity } = useQuery(identityQuery);
  const isWanted = Boolean(identity);
  useEffect(() => {
    if (!isWanted) return undefined;
    // Not every browser reports when it is idle.
    const timer = setTimeout(() => {
      const load = () => void loadPalette().catch(() => undefined);
      if ("requestIdleCallback" in window) requestIdleCallback(load);
      else load();
    }, 1000);
    return () => clearTimeout(timer);
  }, [isWanted]);
  return null;
}
