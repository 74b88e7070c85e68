import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Compass, House, Laptop } from "lucide-react";
import { lazy, Suspense } from "react";
import { identityQuery } from "../../api/account/session.ts";
import { iconProps } from "../../parts/icon.ts";
import { useKeys } from "../../parts/keys.ts";
import { mayBeMember, useCurrentOrganization } from "./organization/current-organization.ts";

const loadMember = () => import("./member-navigation.tsx");
const OrganizationNavigation = lazy(async () => ({ default: (await loadMember()).OrganizationNavigation }));
const HomeCount = lazy(async () => ({ default: (await loadMember()).HomeCount }));
const InstallsDot = lazy(async () => ({ default: (await loadMember()).InstallsDot }));
const AdministrationLink = lazy(async () => ({ default: (await loadMember()).AdministrationLink }));
// Not after the session is known: the sidebar of a member appears earlier.
if (mayBeMember()) void loadMember().catch(() => undefined);

const home: string = "/";
const installs: string = "/settings/installs";

/** Links to the pages that the user may open. Others are absent rather than disabled. */
export function Navigation() {
  const { data: identity } = useQuery(identityQuery);
  const org = useCurrentOrganization();
  useOrganizationKeys(org);
  return (
    <nav className="nav" aria-label="Main">
      <div className="nav-section">
        <Link to={home} activeOptions={{ exact: true }}>
          <House {...iconProps} />
          <span className="grow">Home</span>
          {identity && (
            <Suspense>
              <HomeCount />
            </Suspense>
          )}
        </Link>
        <Link to="/explore" activeOptions={{ includeSearch: false }}>
          <Compass {...iconProps} />
          Explore
        </Link>
        {identity && (
          <Link to={installs}>
            <Laptop {...iconProps} />
            <span className="grow">My installs</span>
            <Suspense>
              <InstallsDot />
            </Suspense>
          </Link>
        )}
        {identity?.isAdministrator && (
          <Suspense>
            <AdministrationLink />
          </Suspense>
        )}
      </div>
      {org !== undefined && (
        <Suspense>
          <OrganizationNavigation org={org} />
        </Suspense>
      )}
    </nav>
  );
}

/** The keys for pages of the current organization. A page that the user may not open reports why. */
function useOrganizationKeys(org: string | undefined): void {
  const navigate = useNavigate();
  const open = (page: string) => () => {
    if (org !== undefined) void navigate({ href: `/${org}/-/${page}` });
  };
  useKeys({
    ...(org === undefined ? {} : { c: () => void navigate({ to: "/new", search: { org } }) }),
    "g l": open("library"),
    "g p": open("people"),
    "g s": open("sync"),
    "g a": open("audit"),
  });
}
