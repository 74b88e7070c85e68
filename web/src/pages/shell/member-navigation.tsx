/** The part of the navigation that signed-in users have: visitors don't load it. */
import { Link } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import { countText } from "../../../../contract/text/count-text.ts";
import { iconProps } from "../../parts/icon.ts";
import { LibraryLinks } from "./library/library-links.tsx";
import { OrganizationLinks } from "./organization/organization-links.tsx";
import { StatusDot } from "./status-dot.tsx";
import { useFailedJobs, useWaitingCounts, useWaitingPages } from "./use-waiting.ts";

/** The library and the pages of an organization. */
export function OrganizationNavigation({ org }: { org: string }) {
  const waiting = useWaitingPages(org);
  return (
    <>
      <LibraryLinks key={org} org={org} waiting={waiting["library"]} />
      <OrganizationLinks org={org} waiting={waiting} />
    </>
  );
}

/** The number of things that need the user, at the link to Home. */
export function HomeCount() {
  const { others } = useWaitingCounts();
  if (others === 0) return null;
  return (
    <span className="number" title={`${countText(others, "thing")} to look at`}>
      {others}
      <span className="visually-hidden"> to look at</span>
    </span>
  );
}

/** A dot at the link to the user's installs if some are outdated. */
export function InstallsDot() {
  const { installs } = useWaitingCounts();
  return (
    <StatusDot
      waiting={installs > 0 ? { tone: "warn", text: countText(installs, "outdated install") } : undefined}
    />
  );
}

/** The administration of the service, with a dot if jobs have failed. */
export function AdministrationLink() {
  const failed = useFailedJobs();
  const page: string = "/admin";
  return (
    <Link to={page}>
      <Wrench {...iconProps} />
      <span className="grow">Administration</span>
      <StatusDot
        waiting={failed > 0 ? { tone: "danger", text: countText(failed, "failed job") } : undefined}
      />
    </Link>
  );
}
