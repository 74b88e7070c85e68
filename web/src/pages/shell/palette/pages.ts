/** Entries that need no search: pages, commands of the page, and pages that were opened lately. */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import {
  Building2,
  CircleHelp,
  Clock,
  Compass,
  FolderTree,
  GitCompare,
  History,
  House,
  Laptop,
  Pencil,
  Settings2,
  Upload,
  UserPlus,
} from "lucide-react";
import { identityQuery, may, organizationQuery } from "../../../api/account/session.ts";
import { refOf, skillQuery } from "../../../api/skills/skills.ts";
import { readRecent } from "../../../parts/recent.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useCurrentOrganization } from "../organization/current-organization.ts";
import { organizationPages } from "../organization/organization-links.tsx";
import type { Entry } from "./entry.ts";

/** The organization of the page or the last one, with the user's permissions in it; undefined for visitors. */
export function useOrganization() {
  const org = useCurrentOrganization();
  const { data } = useQuery({ ...organizationQuery(org ?? ""), enabled: org !== undefined });
  const can = (group: string, action: string) => data !== undefined && may(data.permissions, group, action);
  return { org, can };
}

export function usePages(): Entry[] {
  const { org, can } = useOrganization();
  const { data: identity } = useQuery(identityQuery);
  const pages: Entry[] = [
    { label: "Home", icon: House, href: "/" },
    { label: "Explore", icon: Compass, href: "/explore" },
  ];
  if (identity) {
    pages.push(
      { label: "My installs", icon: Laptop, href: "/settings/installs" },
      { label: "Personal settings", icon: Settings2, href: "/settings/profile" },
    );
  }
  if (org === undefined) return pages;
  pages.push({ label: "Library", description: org, icon: FolderTree, href: `/${org}/-/library` });
  for (const { label, page, icon, permission } of organizationPages)
    if (can(...permission)) pages.push({ label, description: org, icon, href: `/${org}/-/${page}` });
  return pages;
}

/** Commands: those of the shown skill first. */
export function useCommands(): Entry[] {
  const { org, can } = useOrganization();
  const { data: identity } = useQuery(identityQuery);
  const own = useSkillCommands();
  if (!identity) return own;
  const invite = { label: "Invite people", icon: UserPlus, href: `/${org}/-/people/invitations` };
  const why = {
    label: "Ask why someone has access",
    description: "Check access",
    icon: CircleHelp,
    href: `/${org}/-/people/check`,
  };
  return [
    ...own,
    ...(org !== undefined && can("skill", "create")
      ? [{ label: "Publish a skill", icon: Upload, href: `/new?org=${org}` }]
      : []),
    ...(org !== undefined && can("member", "invite") ? [invite] : []),
    ...(org !== undefined && can("member", "read") ? [why] : []),
    { label: "Create an organization", icon: Building2, href: "/orgs/new" },
  ];
}

function useSkillCommands(): Entry[] {
  const { org, slug } = useParams({ strict: false });
  const isSkill = org !== undefined && slug !== undefined;
  const { data: skill } = useQuery({
    ...skillQuery(refOf({ org: org ?? "", slug: slug ?? "" })),
    enabled: isSkill,
  });
  if (!isSkill || !skill) return [];
  const address = `/${org}/${slug}`;
  return [
    ...(skill.can?.includes("update")
      ? [{ label: `Edit ${slug}`, icon: Pencil, href: `${address}/edit` }]
      : []),
    { label: `Compare versions of ${slug}`, icon: GitCompare, href: `${address}/compare` },
    { label: `Versions of ${slug}`, icon: History, href: `${address}/versions` },
  ];
}

const shownRecent = 7;

/** Pages that were opened lately, but the current one. */
export const recentEntries = (): Entry[] =>
  readRecent()
    .filter(({ path }) => path !== location.pathname)
    .slice(0, shownRecent)
    .map(({ path, title }) => ({ label: visibleText(title), icon: Clock, href: path }));
