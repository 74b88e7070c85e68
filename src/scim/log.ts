/** Entries of the provisioning log. They are written in the background, since no response depends on them. */
import { createHash } from "node:crypto";
import { toOneLine } from "../../contract/checks/unsafe-characters.ts";
import type { ScimLogDoc } from "../../storage/scim/log.ts";
import type { ScimProviderDoc } from "../../storage/scim/providers.ts";
import type { App } from "../app.ts";
import type { ScimContext } from "./context.ts";
import type { ScimCall } from "./dispatch.ts";

const pathLength = 300;
const ignoredNames = 20;
const ignoredLength = 100;
const detailLength = 500;
const minuteMs = 60_000;

export function logRequest(
  { app, tenant, logEntry }: ScimContext,
  call: ScimCall,
  status: number,
  detail?: string,
): void {
  const reason = detail ?? logEntry.reason;
  const entry: ScimLogDoc = {
    _id: app.newId(),
    tenantId: tenant._id,
    at: app.now(),
    method: call.method,
    path: pathOf(call),
    status,
    outcome: outcomeOf(call, status, logEntry.changes),
    detail: reason?.slice(0, detailLength),
    subject: logEntry.subject,
    changes: logEntry.changes?.length ? logEntry.changes : undefined,
    ignored: logEntry.ignored.size > 0 ? ignoredOf(logEntry.ignored) : undefined,
  };
  app.background("log a request of SCIM", () => app.storage.scimLog.insert(entry));
}

/** Anyone can send requests without a token, so that these have one entry per minute. */
export function logRefusedToken(app: App, { _id, tenantId }: ScimProviderDoc, call: ScimCall): void {
  const minute = Math.floor(app.now().getTime() / minuteMs) * minuteMs;
  const time = Math.floor(minute / 1000)
    .toString(16)
    .padStart(8, "0");
  const rest = createHash("sha256").update(`${_id} ${minute}`).digest("hex").slice(0, 16);
  app.background("log a request of SCIM", () =>
    app.storage.scimLog.countRefusal({
      _id: `${time}${rest}`,
      tenantId,
      at: app.now(),
      method: call.method,
      path: pathOf(call),
      status: 401,
      outcome: "refused",
      detail: "The token is missing or not valid.",
    }),
  );
}

/** Names come from the request, which may have any number of any length. */
function ignoredOf(names: ReadonlySet<string>): string[] {
  const shown = [...names]
    .slice(0, ignoredNames)
    .map((name) => toOneLine(name).slice(0, ignoredLength) || '""');
  return names.size > ignoredNames ? [...shown, `${names.size - ignoredNames} more`] : shown;
}

function pathOf({ segments, query }: ScimCall): string {
  const filter = query["filter"];
  const path = `/${segments.join("/")}${typeof filter === "string" ? `?filter=${filter}` : ""}`;
  return path.replace(/\p{Cc}/gu, "").slice(0, pathLength);
}

function outcomeOf(
  { method, segments }: ScimCall,
  status: number,
  changes: string[] | undefined,
): ScimLogDoc["outcome"] {
  if (status >= 500) return "failed";
  if (status >= 400) return "refused";
  if (method === "GET" || method === "HEAD" || segments.at(-1)?.toLowerCase() === ".search") return "read";
  return changes && changes.length > 0 ? "changed" : "unchanged";
}
