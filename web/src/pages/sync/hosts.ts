import type { SyncState } from "../../api/organization/sync.ts";

export type Host = SyncState["hosts"][number];

export const hostLabels: Record<Host, string> = {
  "github-app": "GitHub App",
  "github-token": "GitHub with a token",
  local: "Git server",
};
