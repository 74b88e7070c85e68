import type { App } from "../app.ts";
import type { QueuedJob } from "../queue/index.ts";

/** Names by the field of the payload whose id they stand for, as in `{tenantId: "lumen"}`. */
type Names = Record<string, string>;

/** Slugs and user names for the ids in the payloads of jobs. Ids of what no longer exists have none. */
export async function namesOf(app: App, jobs: readonly QueuedJob[]): Promise<(job: QueuedJob) => Names> {
  const idsOf = (field: string) => [
    ...new Set(jobs.map(({ payload }) => payload[field]).filter((id) => typeof id === "string")),
  ];
  const { connections, tenants, users } = app.storage;
  const [connectionIds, userIds] = [idsOf("connectionId"), idsOf("userId")];
  const connected = connectionIds.length > 0 ? await connections.listByIds(connectionIds) : [];
  const tenantIds = [...new Set([...idsOf("tenantId"), ...connected.map(({ tenantId }) => tenantId)])];
  const [organizations, accounts] = await Promise.all([
    tenantIds.length > 0 ? tenants.listByIds(tenantIds) : [],
    userIds.length > 0 ? users.listByIds(userIds) : [],
  ]);
  const slugs = new Map(organizations.map(({ _id, slug }) => [_id, slug]));
  const names = new Map([
    ...slugs,
    ...accounts.map(({ _id, username }) => [_id, username] as const),
    ...connected.map(({ _id, tenantId }) => [_id, slugs.get(tenantId)] as const),
  ]);
  return ({ payload }) =>
    Object.fromEntries(
      ["tenantId", "userId", "connectionId"].flatMap((field) => {
        const name = names.get(String(payload[field]));
        return name === undefined ? [] : [[field, name]];
      }),
    );
}
