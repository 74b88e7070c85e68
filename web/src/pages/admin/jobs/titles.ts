/** Queues and jobs in words. Their names stay next to them where logs and metrics have to be compared. */

const queueTitles: Record<string, string> = {
  maintenance: "Maintenance",
  folders: "Folder access",
  mail: "Mail",
  orgs: "Organizations",
  audit: "Audit log",
  webhooks: "Webhooks",
  retries: "Retries of webhooks",
  workspaces: "Personal workspaces",
  sso: "Single sign-on",
  catalog: "MCP catalog",
  sync: "Repository sync",
  branches: "Branch checks",
  scans: "Scans of versions",
};

const jobTitles: Record<string, string> = {
  "maintenance.reconcile": "Repair interrupted changes",
  "maintenance.purge": "Remove expired data",
  "maintenance.count-installs": "Count the installs of past days",
  "maintenance.erase-skill": "Erase a deleted skill",
  "maintenance.advance-epoch": "Advance the counter that detects restores",
  "maintenance.watch-conditions": "Tell administrators about problems",
  "maintenance.rotate-keys": "Encrypt secrets with the current key",
  "maintenance.forget-server": "Remove the connectors of an MCP server",
  "maintenance.erase-account": "Erase a deleted account",
  "maintenance.merge-packs": "Merge packs of a skill",
  "maintenance.compact-repos": "Find repositories to compact",
  "maintenance.repack": "Repack a repository",
  "maintenance.check-repos": "Check a part of the repositories",
  "folders.update-access": "Update access after a folder change",
  "mail.invitation": "Send an invitation",
  "mail.account": "Send account mails",
  "mail.followed": "Send mails about followed skills",
  "orgs.member-left": "Remove data of a former member",
  "orgs.erase": "Erase an organization",
  "orgs.count-storage": "Count the storage of an organization",
  "orgs.team-deleted": "Remove references to a deleted team",
  "audit.forward": "Send the audit log to its receiver",
  "audit.queue": "Queue what waits for receivers",
  "webhooks.deliver": "Send messages to a webhook",
  "webhooks.retry": "Send messages to a webhook again",
  "webhooks.queue": "Queue what waits for webhooks",
  "workspaces.sync": "Create missing workspaces",
  "workspaces.delete": "Delete a workspace",
  "scans.run": "Scan versions for hidden and harmful content",
  "sso.check-domains": "Check verified domains",
  "sso.check-providers": "Check identity providers",
  "sso.domain-verified": "Add users of a verified domain",
  "catalog.mirror": "Update the MCP catalog",
  "sync.run": "Sync a repository",
  "sync.poll-branches": "Check branches for pushes",
};

/** Title of a queue; its name if this page does not know it yet. */
export const queueTitle = (name: string): string => queueTitles[name] ?? name;

/** Title of a job; its name if this page does not know it yet. */
export const jobTitle = (name: string): string => jobTitles[name] ?? name;
