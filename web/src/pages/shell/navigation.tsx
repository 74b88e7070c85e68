import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Compass, House, Laptop } from "lucide-react";
import { identityQuery } from "../../api/session.ts";
import { iconProps } from "../../parts/icon.ts";
import { useKeys } from "../../parts/keys.ts";
import { useCurrentOrganization } from "./current-organization.ts";
import { FolderLinks } from "./folder-links.tsx";
import { OrganizationLinks } from "./organization-links.tsx";

const home: string = "/";
const installs: string = "/settings/installs";

/** Links to the pages that the user may open. Others are absent rather than disabled. */
export function Navigation() {
  const { data: identity } = useQuery(identityQuery);
  const org = useCurrentOrganization();
  useOrganizationKeys(org);
  return (
    <nav className="nav" aria-label="Main">
      <Link to={home} activeOptions={{ exact: true }}>
        <House {...iconProps} />
        Home
      </Link>
      <Link to="/explore" activeOptions={{ includeSearch: false }}>
        <Compass {...iconProps} />
        Explore
      </Link>
      {identity && (
        <Link to={installs}>
          <Laptop {...iconProps} />
          My installs
        </Link>
      )}
      {org !== undefined && (
        <>
          <FolderLinks org={org} />
          <OrganizationLinks org={org} />
        </>
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
