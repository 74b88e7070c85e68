/** Calls of an organization's repository sync (`docs/reference/sync.md`). */
import type { SyncConflictPayload } from "../../../contract/payloads/sync-conflicts.ts";
import type {
  ConnectionPayload,
  RepositorySyncPayload,
  SyncPlanPayload,
  SyncRunPayload,
} from "../../../contract/payloads/sync.ts";
import { type Query, openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";
import type { Shape } from "../shapes.ts";

const problem = { code: "text", message: "text", at: "text" } as const;

const connection = {
  id: "text",
  host: "text",
  repository: "text",
  url: "text",
  branch: "text",
  mode: "text",
  status: "text",
  connectedBy: { name: "text", username: "text" },
  notified: "flag",
  pending: "flag",
  pendingSince: "text?",
  retryAt: "text?",
  lastCommit: "text?",
  lastSyncAt: "text?",
  createdAt: "text",
} as const;

const counts = {
  imported: "whole",
  created: "whole",
  conflicts: "whole",
  exported: "whole",
  removed: "whole",
  refused: "whole",
} as const;

const noted = { path: "text", code: "text", message: "text" } as const;

const shapes = {
  connection,
  state: {
    syncedSkills: "whole",
    skillProblems: [{ skillId: "id?", path: "text", problem }],
    hosts: ["text"],
  },
  plan: {
    repository: "text",
    branch: "text",
    branchState: "text",
    skills: "whole",
    write: [{ path: "text", skill: "text" }],
    writes: "whole",
    remove: ["text"],
    removes: "whole",
    create: [{ path: "text" }],
    creates: "whole",
    update: [{ path: "text", skill: "text", conflict: "flag" }],
    updates: "whole",
    problems: [noted],
    elsewheres: "whole?",
    leftOuts: "whole?",
  },
  runs: [
    {
      ...counts,
      id: "text",
      full: "flag",
      outcome: "text",
      startedAt: "text",
      endedAt: "text?",
      commit: "text?",
      refusals: [noted],
    },
  ],
  conflicts: [
    {
      id: "text",
      skillId: "id",
      slug: "slug?",
      path: "text",
      winning: "whole",
      losing: "whole",
      commit: "text",
      author: "text?",
      at: "text",
    },
  ],
} as const satisfies Record<string, Shape>;

/** The repository to connect or plan. `host` decides which of the other fields are present. */
export interface RepositoryInput {
  host: "github-app" | "github-token" | "local";
  repository?: string;
  url?: string;
  branch?: string;
  mode?: string;
  token?: string;
  username?: string;
  password?: string;
}

export type SyncCalls = ReturnType<typeof openSyncCalls>;

/** `organization`: id or slug. */
export function openSyncCalls(options: HttpOptions, organization: string) {
  const { get, page, create, call } = openCaller(options);
  const path = `/api/tenants/${encodeURIComponent(organization)}/repo-sync`;
  return {
    /** `connection`, `proposal` and `problem` may be null. */
    state: () => get<RepositorySyncPayload>(path, shapes.state),
    /** The plan of the next full sync. */
    plan: () => get<SyncPlanPayload>(`${path}/plan`, shapes.plan),
    planDraft: (input: RepositoryInput) => create<SyncPlanPayload>(`${path}/plan`, shapes.plan, input),
    connect: (input: RepositoryInput) => create<ConnectionPayload>(path, shapes.connection, input),
    run: async () =>
      (await call<ConnectionPayload>({ method: "POST", path: `${path}/run`, shape: shapes.connection })).data,
    history: (query: Query) => page<SyncRunPayload>(`${path}/history`, shapes.runs, query),
    conflicts: (query: Query) => page<SyncConflictPayload>(`${path}/conflicts`, shapes.conflicts, query),
  };
}
