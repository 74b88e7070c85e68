import { ActionIcon } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { Fragment, useEffect, type ReactNode } from "react";
import { brandName } from "../../../../contract/dashboard/brand.ts";
import { ConnectionBar } from "../../connection/connection-bar.tsx";
import { noteRecent } from "../recent.ts";
import { openNavigation } from "./navigation-event.ts";

export interface Crumb {
  label: string;
  /** Without an address for the last one. */
  link?: Pick<LinkProps, "to" | "params" | "search">;
}

/** Title of the page for addresses that show nothing, which the palette does not offer again. */
export const notFoundTitle = "Not found";

interface Props {
  /** Title of the browser's tab, without the name of the service. */
  title: string;
  crumbs?: Crumb[];
  /** At most one primary button, at the end. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: the title, the bar at the top with breadcrumbs and actions, and the content below it. */
export function Page({ title, crumbs, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${brandName}`;
    if (title !== notFoundTitle) noteRecent({ path: location.pathname, title });
  }, [title]);
  return (
    <>
      <header className="top-bar">
        <ActionIcon
          className="menu"
          variant="subtle"
          color="gray"
          aria-label="Open navigation"
          onClick={openNavigation}
        >
          <MenuIcon size={18} />
        </ActionIcon>
        <Breadcrumbs crumbs={crumbs ?? [{ label: title }]} />
        <span className="grow" />
        {actions}
      </header>
      <ConnectionBar />
      <main id="main" className="body" data-scroll-restoration-id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

function Breadcrumbs({ crumbs }: { crumbs: Crumb[] }) {
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      {crumbs.map(({ label, link }, index) => (
        // The labels of a path may repeat.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {index > 0 && <i aria-hidden="true">/</i>}
          {link ? (
            <Link {...link}>{label}</Link>
          ) : (
            <b className="clip" aria-current="page">
              {label}
            </b>
          )}
        </Fragment>
      ))}
    </nav>
  );
}
