import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import {
  BarChart3,
  ChevronRight,
  FolderGit2,
  FolderHeart,
  IdCard,
  KeyRound,
  LayoutList,
  ListChecks,
  Plug,
  ScrollText,
  Settings2,
  ShieldCheck,
  UserCog,
  Users,
  Webhook,
  Workflow,
  type LucideIcon,
} from "lucide-react";
import { may, organizationQuery } from "../../../api/account/session.ts";
import { iconProps } from "../../../parts/icon.ts";
import { useSidebarState } from "../../../parts/page/sidebar-state.ts";
import { StatusDot, type Waiting } from "../status-dot.tsx";

interface OrganizationPage {
  label: string;
  /** Last segment of its address. */
  page: string;
  icon: LucideIcon;
  /** Group and action of the permission that the page requires. */
  permission: [group: string, action: string];
  /** Few open it often: it is in the part that opens. */
  isRare?: boolean;
}

export const organizationPages: readonly OrganizationPage[] = [
  { label: "People and roles", page: "people", icon: Users, permission: ["member", "read"] },
  { label: "Collections", page: "collections", icon: LayoutList, permission: ["skill", "read"] },
  { label: "Reviews", page: "reviews", icon: ListChecks, permission: ["skill", "update"] },
  { label: "Repository sync", page: "sync", icon: FolderGit2, permission: ["githubSync", "read"] },
  { label: "MCP servers", page: "mcp", icon: Plug, permission: ["mcpServer", "read"] },
  {
    label: "Workspaces",
    page: "workspaces",
    isRare: true,
    icon: FolderHeart,
    permission: ["personalWorkspace", "manage"],
  },
  { label: "Analytics", page: "analytics", icon: BarChart3, permission: ["analytics", "read"] },
  { label: "Audit log", page: "audit", icon: ScrollText, permission: ["auditLog", "read"] },
  { label: "CI", page: "ci", isRare: true, icon: Workflow, permission: ["oidc", "manage"] },
  { label: "API tokens", page: "tokens", isRare: true, icon: KeyRound, permission: ["apiToken", "manage"] },
  { label: "Webhooks", page: "webhooks", isRare: true, icon: Webhook, permission: ["security", "manage"] },
  {
    label: "Security",
    page: "security",
    isRare: true,
    icon: ShieldCheck,
    permission: ["security", "manage"],
  },
  { label: "Single sign-on", page: "sso", isRare: true, icon: IdCard, permission: ["sso", "manage"] },
  { label: "Provisioning", page: "scim", isRare: true, icon: UserCog, permission: ["scim", "manage"] },
  { label: "Settings", page: "settings", icon: Settings2, permission: ["organization", "update"] },
];

interface Props {
  org: string;
  /** By the last segments of the pages' addresses. */
  waiting: Readonly<Record<string, Waiting>>;
}

/** Pages of the organization that the user's permissions open, those that few open often in a part of their own. */
export function OrganizationLinks({ org, waiting }: Props) {
  const { data: organization } = useQuery(organizationQuery(org));
  const { state, change } = useSidebarState(org);
  const { pathname } = useLocation();
  if (!organization) return null;
  const allowed = organizationPages.filter(({ permission }) => may(organization.permissions, ...permission));
  if (allowed.length === 0) return null;
  const addressOf = (page: string): string => ["", org, "-", page].join("/");
  const rare = allowed.filter(({ isRare }) => isRare);
  const isCurrent = rare.some(({ page }) => `${pathname}/`.startsWith(`${addressOf(page)}/`));
  const isOpen = state.isMoreOpen || isCurrent;
  const hidden = isOpen ? undefined : rare.map(({ page }) => waiting[page]).find(Boolean);
  const draw = ({ label, page, icon: Icon }: OrganizationPage) => (
    <Link key={label} to={addressOf(page)}>
      <Icon {...iconProps} />
      <span className="clip grow">{label}</span>
      <StatusDot waiting={waiting[page]} />
    </Link>
  );
  return (
    <div className="nav-section">
      <div className="nav-heading">Organization</div>
      {allowed.filter(({ isRare }) => !isRare).map(draw)}
      {rare.length > 0 && (
        <button
          type="button"
          className="nav-more"
          aria-expanded={isOpen}
          disabled={isCurrent}
          onClick={() => change(({ isMoreOpen }) => ({ isMoreOpen: !isMoreOpen }))}
        >
          <ChevronRight {...iconProps} data-open={isOpen} />
          <span className="grow">Access and security</span>
          <StatusDot waiting={hidden} />
        </button>
      )}
      {isOpen && rare.map(draw)}
    </div>
  );
}
