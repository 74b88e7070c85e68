/** A user's hosted connectors: create and list. `connecting/` connects them, `remove.ts` deletes them. */
import { customAlphabet } from "nanoid";
import { limits } from "../../contract/limits.ts";
import type { ConnectorDoc, PublicConnector } from "../../storage/connectors/connectors.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import type { McpServerDoc } from "../../storage/mcp/servers.ts";
import { outboxFields } from "../../storage/outbox.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { invalidRequest, notFound, ServiceError } from "../errors.ts";
import { findServer } from "../mcp-servers/load.ts";
import { requireUnrestricted } from "../users/load.ts";
import { hostOf } from "./upstream/target.ts";
import { judgeConnectors, listConnectors, type SeenConnector } from "./usable.ts";

const newPublicId = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 10);

export async function listOwnConnectors(
  app: App,
  actor: Actor,
): Promise<{ user: UserActor; connectors: SeenConnector[] }> {
  const user = requireUnrestricted(actor, "see hosted connectors");
  return { user, connectors: await listConnectors(app, user) };
}

/** A connector of the caller by its id or publicId. Throws `not_found`. */
export async function loadConnector(
  app: App,
  actor: Actor,
  ref: string,
): Promise<{ user: UserActor; seen: SeenConnector }> {
  const user = requireUnrestricted(actor, "use hosted connectors");
  const { connectors } = app.storage;
  const found = isId(ref) ? await connectors.find(ref) : await connectors.findByPublicId(user.userId, ref);
  if (found?.userId !== user.userId) throw notFound("connector", ref);
  const [seen] = await judgeConnectors(app, user, [found]);
  return { user, seen: seen! };
}

/** A connector of a user as it is now. */
export async function reloadConnector(
  app: App,
  user: UserActor,
  connector: PublicConnector,
): Promise<SeenConnector> {
  const current = (await app.storage.connectors.find(connector._id)) ?? connector;
  return (await judgeConnectors(app, user, [current]))[0]!;
}

/**
 * The caller's connector to a server, which is created if there is none. Throws `not_found` or `ambiguous` for the
 * server, `invalid_request` for a local one, `refused` if the organization has turned connectors off, and
 * `limit_reached`.
 */
export async function ensureConnector(
  app: App,
  actor: Actor,
  ref: string,
): Promise<{ user: UserActor; seen: SeenConnector; created: boolean }> {
  const user = requireUnrestricted(actor, "use hosted connectors");
  const { server } = await findServer(app, user, ref);
  if (server.config.transport === "stdio")
    throw invalidRequest(
      `"${server.slug}" runs on the member's machine (stdio): install it locally, with --via local.`,
      { kind: "mcpServer", ref },
    );
  const known = await app.storage.connectors.findByServer(user.userId, server._id);
  if (!known) await requireEnabled(app, server.tenantId);
  const connector = known ?? (await createConnector(app, user, server));
  const [seen] = await judgeConnectors(app, user, [connector]);
  return { user, seen: seen!, created: known === null };
}

/** Throws `refused` if the organization has turned hosted connectors off. */
export async function requireEnabled(app: App, tenantId: string): Promise<void> {
  const tenant = await app.storage.tenants.find(tenantId);
  if (!tenant?.mcpCentralOff) return;
  throw new ServiceError(
    "refused",
    `"${tenant.slug}" has turned hosted connectors off: install the server locally, with --via local.`,
    { kind: "connector" },
  );
}

async function createConnector(app: App, user: UserActor, server: McpServerDoc): Promise<PublicConnector> {
  const { connectors } = app.storage;
  for (;;) {
    const own = await connectors.listOfUser(user.userId);
    const known = own.find(({ serverId }) => serverId === server._id);
    // Another request has created it.
    if (known) return known;
    const draft = draftConnector(app, user, server, own);
    try {
      await connectors.insert(draft);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      continue;
    }
    flushEvents(app, connectors, draft._id, draft.outbox!);
    return draft;
  }
}

function draftConnector(
  app: App,
  user: UserActor,
  server: McpServerDoc,
  own: readonly PublicConnector[],
): ConnectorDoc {
  const limit = limits.connectorsPerUser;
  const slots = new Set(own.map((one) => one.slot));
  const slot = Array.from({ length: limit }, (_, at) => at).find((at) => !slots.has(at));
  if (slot === undefined)
    throw new ServiceError(
      "limit_reached",
      `You have ${limit} hosted connectors, which is the limit: delete one in Settings, Connectors.`,
      { kind: "connector", limit },
    );
  const slug = freeSlug(server.slug, membershipIn(user, server.tenantId)?.tenantSlug ?? "other", own);
  const now = app.now();
  const event = makeEvent(app, user, "user.connector_created", {
    tenantId: server.tenantId,
    resourceType: "connector",
    resourceId: app.newId(),
    metadata: { slug, server: server.slug, host: hostOf(server.config) },
  });
  return {
    _id: event.resourceId,
    publicId: newPublicId(),
    slug,
    tenantId: server.tenantId,
    serverId: server._id,
    userId: user.userId,
    slot,
    active: true,
    status: "pending",
    revision: 1,
    credentialsRevision: 0,
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  };
}

/** The server's slug, with that of its organization or a number if the user has another connector of this name. */
function freeSlug(slug: string, org: string, own: readonly PublicConnector[]): string {
  const taken = new Set(own.map((one) => one.slug));
  if (!taken.has(slug)) return slug;
  const named = `${slug}-${org}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? named : `${named}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
