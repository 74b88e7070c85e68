import type { ConnectionDoc } from "../../storage/connections/connections.ts";

/** A stored connection without pending work: for lists, which read no repository. */
export function connectionDoc(n: number, fields: Partial<ConnectionDoc> = {}): ConnectionDoc {
  const at = new Date(Date.UTC(2026, 0, 1));
  return {
    _id: `c${String(n).padStart(3, "0")}`,
    tenantId: `t${n}`,
    repositoryKey: `local:/${n}`,
    host: { kind: "local", repositoryId: `${n}`, fullName: `r${n}`, url: `r${n}` },
    branch: "main",
    connectedBy: { userId: "u1", username: "ann", name: "Ann" },
    mode: "push",
    status: "active",
    wanted: 0,
    done: 0,
    fullWanted: 0,
    pollAt: at,
    failures: 0,
    fence: 0,
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}
