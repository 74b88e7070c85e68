import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown } from "lucide-react";
import { lazy } from "react";
import { brandMark, brandName } from "../../../../../contract/dashboard/brand.ts";
import { identityQuery } from "../../../api/account/session.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { MenuButton } from "../menu-button.tsx";
import { useCurrentOrganization } from "./current-organization.ts";

const loadChoice = () => import("./organization-choice.tsx");
const OrganizationChoice = lazy(async () => ({ default: (await loadChoice()).OrganizationChoice }));

/** Switches between the user's organizations, and leads to invitations and to a new one. */
export function OrganizationMenu() {
  const { data: identity } = useQuery(identityQuery);
  const slug = useCurrentOrganization();
  if (!identity) {
    return (
      <a className="org-button" href="/">
        <svg className="brand-mark" viewBox="0 0 18 18" aria-hidden="true">
          <rect {...brandMark.plate} />
          <path d={brandMark.lines} />
          <circle {...brandMark.ring} />
        </svg>
        <span className="grow clip">{brandName}</span>
      </a>
    );
  }
  const current = identity.memberships.find((membership) => membership.slug === slug);
  return (
    <MenuButton
      className="org-button"
      onLikely={() => void loadChoice()}
      renderMenu={(button) => <OrganizationChoice identity={identity} button={button} />}
    >
      <Initials name={current?.name ?? identity.name} isOrganization />
      <span className="grow clip">
        {current?.name ?? "No organization"}
        <small>{current?.slug ?? identity.username}</small>
      </span>
      <ChevronsUpDown size={14} />
    </MenuButton>
  );
}
