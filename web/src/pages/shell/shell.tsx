import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, Outlet, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { identityQuery } from "../../api/session.ts";
import { useKeys } from "../../parts/keys.ts";
import { onOpenNavigation } from "../../parts/navigation-event.ts";
import { Account } from "./account.tsx";
import { Find } from "./find.tsx";
import { Navigation } from "./navigation.tsx";
import { OrganizationMenu } from "./organization-menu.tsx";
import { Questions } from "./questions.tsx";

const LiveUpdates = lazy(async () => ({
  default: (await import("../../live/live-updates.tsx")).LiveUpdates,
}));
const loadPalette = () => import("./palette/palette.tsx");
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const Notices = lazy(async () => ({ default: (await import("./notices.tsx")).Notices }));
const NavigationDrawer = lazy(async () => ({
  default: (await import("./navigation-drawer.tsx")).NavigationDrawer,
}));
const KeyHelp = lazy(async () => ({ default: (await import("./key-help.tsx")).KeyHelp }));

export const Route = createRootRouteWithContext<{ client: QueryClient }>()({
  loader: ({ context }) => {
    void context.client.prefetchQuery(identityQuery);
  },
  component: Shell,
});

function Shell() {
  const navigate = useNavigate();
  // Grows with each opening; 0 before the first, so that the palette's chunk is not loaded.
  const [paletteOpening, setPaletteOpening] = useState(0);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [drawer, setDrawer] = useState<boolean | undefined>();
  const openPalette = () => setPaletteOpening((count) => count + 1);
  useEffect(() => onOpenNavigation(() => setDrawer(true)), []);
  useKeys({
    "mod+k": openPalette,
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
      <Suspense>
        {paletteOpening > 0 && <Palette key={paletteOpening} />}
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
