/**
 * Addresses of the pages and the files that define them. Virtual routes, because the router's file convention ignores
 * names that begin with "-", and `/{org}/-/…` has such a segment. `src/http/dashboard/routes.ts` serves the addresses.
 */
import { index, rootRoute, route } from "@tanstack/virtual-file-routes";

export const routes = rootRoute("shell/shell.tsx", [
  route("/", "home/page.tsx"),
  route("/admin", "admin/overview.tsx"),
  route("/admin/audit", "admin/audit.tsx"),
  route("/admin/connections", "admin/connections.tsx"),
  route("/admin/health", "admin/health.tsx"),
  route("/admin/jobs", "admin/jobs/page.tsx"),
  route("/admin/organizations", "admin/organizations.tsx"),
  route("/admin/settings", "admin/settings.tsx"),
  route("/admin/users", "admin/users/page.tsx"),
  route("/explore", "explore/page.tsx"),
  route("/orgs/new", "organization/new.tsx"),
  route("/settings", [
    index("settings/page.tsx"),
    route("account", "settings/account.tsx"),
    route("activity", "settings/activity.tsx"),
    route("appearance", "settings/appearance.tsx"),
    route("installs", "settings/installs.tsx"),
    route("profile", "settings/profile.tsx"),
    route("security", "settings/security.tsx"),
    route("tokens", "settings/tokens.tsx"),
  ]),
  route("/$org/-/analytics", "analytics/page.tsx"),
  route("/$org/-/audit", "audit/page.tsx"),
  route("/$org/-/ci", "ci/page.tsx"),
  route("/$org/-/library/$", "library/page.tsx"),
  route("/$org/-/people", [
    index("people/members.tsx"),
    route("check", "people/check.tsx"),
    route("invitations", "people/invitations.tsx"),
    route("roles", "people/roles.tsx"),
    route("teams", [index("people/teams.tsx"), route("$team", "people/team.tsx")]),
  ]),
  route("/$org/-/security", "security/page.tsx"),
  route("/$org/-/settings", "organization/page.tsx"),
  route("/$org/-/sso", "sso/page.tsx"),
  route("/$org/-/sync", "sync/page.tsx"),
  route("/$org/-/tokens", "tokens/page.tsx"),
  route("/$org/-/workspaces", "workspaces/page.tsx"),
  route("/$org", [index("organization/public-page.tsx")]),
  route("/$org/$slug", "skill/frame.tsx", [
    index("skill/readme/page.tsx"),
    route("files/$", "skill/files/page.tsx"),
    route("versions", "skill/versions/page.tsx"),
    route("compare", "skill/compare/latest.tsx"),
    route("analytics", "skill/analytics/page.tsx"),
    route("installs", "skill/installs/page.tsx"),
    route("settings", "skill/settings/page.tsx"),
  ]),
  route("/$org/$slug/compare/$range", "skill/compare/page.tsx"),
  route("/$org/$slug/edit", "editor/edit-page.tsx"),
  route("/new", "editor/new-page.tsx"),
]);
