/** The log of identity provider requests, for an organization's owners. */
import { limits } from "../../contract/limits.ts";
import type { ScimLogEntryPayload } from "../../contract/payloads/accounts/scim.ts";
import type { ScimLogDoc } from "../../storage/scim/log.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { type Page } from "../http/route.ts";
import { loadTenant } from "../orgs/service.ts";
import { LogCursor, type ScimLogRequest } from "./schema.ts";

/** A page of the log, newest first. */
export async function listLog(
  app: App,
  actor: Actor,
  tenantRef: string,
  { outcome, query, cursor, limit }: ScimLogRequest,
): Promise<Page<ScimLogEntryPayload>> {
  const tenant = await loadTenant(app, actor, tenantRef, "scim:manage");
  const [after] = decodeCursor(cursor, LogCursor) ?? [];
  const rows = await app.storage.scimLog.list(tenant._id, {
    outcome,
    text: query,
    after,
    from: new Date(app.now().getTime() - limits.scimLogDays * 86_400_000),
    limit: limit + 1,
  });
  return pageOf(rows, limit, (last) => [last._id]).map(presentEntry);
}

function presentEntry({ _id, at, method, path, status, outcome, ...rest }: ScimLogDoc): ScimLogEntryPayload {
  const { detail, subject, changes, ignored, count } = rest;
  return {
    id: _id,
    at: at.toISOString(),
    method,
    path,
    status,
    outcome,
    detail,
    subject,
    changes,
    ignored,
    count: count === undefined || count === 1 ? undefined : count,
  };
}
