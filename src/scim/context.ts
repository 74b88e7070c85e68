/** The request of an identity provider, once its token was checked. */
import type { EventName } from "../../contract/vocabulary.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";
import { makeSystemEvent, type EventSubject } from "../audit/events.ts";
import type { Projection } from "./present.ts";

export interface ScimContext {
  app: App;
  tenant: TenantDoc;
  providerId: string;
  /** Address below which the resources are. */
  base: string;
  ipHash: string | undefined;
  ifMatch: string;
  ifNoneMatch: string;
  projection: Projection;
  /** For the entry of the log. */
  logEntry: {
    subject?: { id?: string; name?: string };
    changes?: string[];
    /** Unknown attributes and members, which were left out. */
    ignored: Set<string>;
    /** Why a part of the request had no effect. */
    reason?: string;
  };
}

/** The context of a job, which has no request. */
export const systemContext = (app: App, tenant: TenantDoc, providerId: string): ScimContext => ({
  app,
  tenant,
  providerId,
  base: "",
  ipHash: undefined,
  ifMatch: "",
  ifNoneMatch: "",
  projection: { attributes: undefined, excluded: [] },
  logEntry: { ignored: new Set() },
});

/** An event by the identity provider in the organization's log. */
export function scimEvent(
  { app, tenant, ipHash }: Pick<ScimContext, "app" | "tenant" | "ipHash">,
  name: EventName,
  subject: Omit<EventSubject, "tenantId">,
): EventRow {
  const event = makeSystemEvent(app, name, { ...subject, tenantId: tenant._id });
  return { ...event, actor: { type: "system", id: null, name: "SCIM" }, ipHash };
}
