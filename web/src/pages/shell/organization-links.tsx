import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  BarChart3,
  FolderGit2,
  FolderHeart,
  IdCard,
  KeyRound,
  LayoutList,
  Plug,
  ScrollText,
  Settings2,
  ShieldCheck,
  UserCog,
  Users,
  Workflow,
  type LucideIcon,
} from "lucide-react";
import { may, organizationQuery } from "../../api/session.ts";
import { iconProps } from "../../parts/icon.ts";

interface OrganizationPage {
  label: string;
  /** Last segment of its address. */
  page: string;
  icon: LucideIcon;
  /** Group and action of the permission that the page requires. */
  permission: [group: string, action: string];
}

export const organizationPages: readonly OrganizationPage[] = [
  { label: "People and roles", page: "people", icon: Users, permission: ["member", "read"] },
  { label: "Collections", page: "collections", icon: LayoutList, permission: ["skill", "read"] },
  { label: "Repository sync", page: "sync", icon: FolderGit2, permission: ["githubSync", "read"] },
  { label: "MCP servers", page: "mcp", icon: Plug, permission: ["mcpServer", "read"] },
  { label: "Workspaces", page: "workspaces", icon: FolderHeart, permission: ["personalWorkspace", "manage"] },
  { label: "Analytics", page: "analytics", icon: BarChart3, permission: ["analytics", "read"] },
  { label: "Audit log", page: "audit", icon: ScrollText, permission: ["auditLog", "read"] },
  { label: "CI", page: "ci", icon: Workflow, permission: ["oidc", "manage"] },
  { label: "API tokens", page: "tokens", icon: KeyRound, permission: ["apiToken", "manage"] },
  { label: "Security", page: "security", icon: ShieldCheck, permission: ["security", "manage"] },
  { label: "Single sign-on", page: "sso", icon: IdCard, permission: ["sso", "manage"] },
  { label: "Provisioning", page: "scim", icon: UserCog, permission: ["scim", "manage"] },
  { label: "Settings", page: "settings", icon: Settings2, permission: ["organization", "update"] },
];

/** Pages of the organization that the user's permissions open. */
export function OrganizationLinks({ org }: { org: string }) {
  const { data: organization } = useQuery(organizationQuery(org));
  if (!organization) return null;
  const allowed = organizationPages.filter(({ permission }) => may(organization.permissions, ...permission));
  if (allowed.length === 0) return null;
  return (
    <>
      <div className="nav-heading">Organization</div>
      {allowed.map(({ label, page, icon: Icon }) => (
        <Link key={label} to={["", org, "-", page].join("/")}>
          <Icon {...iconProps} />
          <span className="clip">{label}</span>
        </Link>
      ))}
    </>
  );
}
