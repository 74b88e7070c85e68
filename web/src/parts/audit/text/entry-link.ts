import type { LinkProps } from "@tanstack/react-router";
import type { AuditEntry } from "../../../api/organization/audit.ts";

type PageLink = Pick<LinkProps, "to" | "params" | "search">;

/** The page of what an entry of an organization's log is about; undefined if it has none, or was deleted. */
export function entryLink(org: string, entry: AuditEntry): PageLink | undefined {
  if (/[._](deleted|removed|revoked|left)$/.test(entry.action) && entry.resourceType !== "team")
    return undefined;
  if (entry.action === "team.deleted") return undefined;
  return links[entry.resourceType]?.(org, entry);
}

const textAt = ({ metadata }: AuditEntry, key: string) =>
  typeof metadata[key] === "string" ? metadata[key] : undefined;

const links: Record<string, (org: string, entry: AuditEntry) => PageLink | undefined> = {
  skill: (org, entry) => {
    const slug = textAt(entry, "slug");
    return slug === undefined ? undefined : { to: "/$org/$slug", params: { org, slug } };
  },
  collection: (org, entry) => {
    const collection = textAt(entry, "slug");
    return collection === undefined
      ? undefined
      : { to: "/$org/-/collections/$collection", params: { org, collection } };
  },
  folder: (org, entry) => {
    const path = textAt(entry, "to") ?? textAt(entry, "path");
    return path === undefined ? undefined : { to: "/$org/-/library/$", params: { org, _splat: path } };
  },
  mcpServer: (org, entry) => {
    const server = textAt(entry, "slug");
    return server === undefined ? undefined : { to: "/$org/-/mcp/$server", params: { org, server } };
  },
  user: (org, { resourceId }) => ({
    to: "/$org/-/people/members/$member",
    params: { org, member: resourceId },
  }),
  team: (org, { resourceId }) => ({
    to: "/$org/-/people/teams/$team",
    params: { org, team: resourceId },
  }),
  role: (org) => ({ to: "/$org/-/people/roles", params: { org } }),
  invitation: (org) => ({ to: "/$org/-/people/invitations", params: { org } }),
  policy: (org) => ({ to: "/$org/-/ci", params: { org } }),
  domain: (org) => ({ to: "/$org/-/sso", params: { org } }),
  repository: (org) => ({ to: "/$org/-/sync", params: { org } }),
  webhook: (org) => ({ to: "/$org/-/webhooks", params: { org } }),
  workspace: (org) => ({ to: "/$org/-/workspaces", params: { org } }),
  organization: (org) => ({ to: "/$org/-/settings", params: { org } }),
};
