/**
 * The member who connected a repository. They are the author of imports, so nothing is imported while they no longer
 * may connect it: they have left, lost the role, or deleted the account. Another member can take the connection over.
 */
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import { ownerRole } from "../../access/permissions.ts";
import { decideRepository } from "../../access/repository.ts";
import type { App } from "../../app.ts";
import { publishEvents } from "../../audit/events.ts";
import { composeMail, inertName } from "../../mail/compose.ts";
import { requestSync } from "../../queue/request-sync.ts";
import { loadUserActor, requireUser } from "../../users/load.ts";
import { causeBy, makeConnectionEvent } from "./connection-event.ts";
import { loadConnection, notConnected, requireEverySkill } from "./load.ts";
import { SyncBlocked } from "./sync-blocked.ts";

/** Time for which a decision is reused within a sync. */
const decisionMs = 1000;
const ownersMailed = 20;
const code = "connector_gone";

type Connected = Pick<ConnectionDoc, "tenantId" | "connectedBy">;

/** Whether the member who connected the repository could connect it now. */
export async function mayConnectingMemberImport(
  app: App,
  { tenantId, connectedBy }: Connected,
): Promise<boolean> {
  const origin = { ipHash: undefined, source: "import", client: "api" } as const;
  const via = { kind: "session", sessionId: "" } as const;
  const actor = await loadUserActor(app, connectedBy.userId, via, origin);
  return actor !== undefined && decideRepository(actor, tenantId) === "allowed";
}

/** Like `mayConnectingMemberImport`, for the imports of one sync, of which there may be thousands. */
export function watchConnectingMember(app: App, connection: Connected): () => Promise<boolean> {
  let decided: { at: number; may: Promise<boolean> } | undefined;
  return () => {
    const now = performance.now();
    if (!decided || now - decided.at > decisionMs)
      decided = { at: now, may: mayConnectingMemberImport(app, connection) };
    return decided.may;
  };
}

/** The problem of a directory that is not imported. */
export function waitingImport({ connectedBy }: Connected): { code: typeof code; message: string } {
  return { code, message: `It is imported once ${takeOverOf(connectedBy)}.` };
}

/** The problem of the connection. */
export function connectingMemberGone({ connectedBy }: Connected): SyncBlocked {
  return new SyncBlocked(
    code,
    `@${connectedBy.username}, who connected the repository, may no longer connect it, so nothing is ` +
      `imported until ${takeOverOf(connectedBy)}. Changes of the service are still pushed.`,
  );
}

const takeOverOf = ({ username }: ConnectionDoc["connectedBy"]) =>
  `another member takes the connection over (POST …/repo-sync/takeover), or @${username} may connect it again`;

/**
 * Checks the current permissions of the member who connected. Returns false while imports wait; the owners of the
 * organization get a mail about it, once for each member.
 */
export async function checkConnectingMember(app: App, connection: ConnectionDoc): Promise<boolean> {
  const { _id: id, connectedBy, goneConnector } = connection;
  const { connections } = app.storage;
  if (await mayConnectingMemberImport(app, connection)) {
    if (goneConnector !== undefined) await connections.noteGoneConnector(id, goneConnector, undefined);
    return true;
  }
  const { userId } = connectedBy;
  if (goneConnector === userId || !(await connections.noteGoneConnector(id, goneConnector, userId)))
    return false;
  const tenant = await app.storage.tenants.find(connection.tenantId);
  if (tenant && !tenant.deletionAt) await mailOwners(app, tenant, connection);
  return false;
}

/** A mail that fails doesn't prevent the others: the connection reports the problem as well. */
async function mailOwners(app: App, tenant: TenantDoc, { connectedBy, host }: ConnectionDoc): Promise<void> {
  const { memberships, users } = app.storage;
  const { baseUrl } = app.config;
  const mail = composeMail(baseUrl, {
    subject: `The repository of ${inertName(tenant.name)} needs another member`,
    before: [
      `${inertName(connectedBy.name)} (${connectedBy.username}), who connected the repository ` +
        `${inertName(host.fullName)} to ${inertName(tenant.name)} (${tenant.slug}), may no longer connect it.`,
      "Pushes to the repository are not imported until another member takes the connection over: " +
        "an owner or admin, with POST /api/tenants/<organization>/repo-sync/takeover.",
    ],
    after: [
      "Changes of the service are still pushed to the repository. You get this mail as an owner of the organization.",
    ],
  });
  for (const owner of await memberships.listWithRole(tenant._id, ownerRole, ownersMailed)) {
    const user = await users.find(owner.userId);
    if (!user) continue;
    await app.mail
      .send({ to: user.email, ...mail })
      .catch((error: unknown) =>
        app.log.warn(
          { error, tenantId: tenant._id },
          "an owner could not be mailed that a connection needs another member",
        ),
      );
  }
}

/** Makes the actor the author of imports and requests a full sync. Repeating it changes nothing. */
export async function takeOverConnection(app: App, actor: Actor, tenantRef: string): Promise<ConnectionDoc> {
  const { tenant, connection } = await loadConnection(app, actor, tenantRef, "githubSync:manage");
  const { userId, username, name } = requireUser(actor);
  requireEverySkill(actor, tenant);
  const { _id: id, connectedBy } = connection;
  if (connection.status === "disconnecting") throw notConnected(tenant);
  if (connectedBy.userId === userId) return connection;
  const event = makeConnectionEvent(app, actor, "repohost_sync.update", connection, {
    changes: { connectedBy: { from: connectedBy.username, to: username } },
  });
  const options = {
    full: true,
    connectedBy: { userId, username, name },
    events: [event],
    cause: causeBy(actor, "settings"),
  };
  if (!(await requestSync(app, { id }, options))) throw notConnected(tenant);
  app.background("publish audit events", () => publishEvents(app, app.storage.connections, id, [event]));
  return (await app.storage.connections.find(id)) ?? connection;
}
