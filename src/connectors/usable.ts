/** The connectors of a user with their servers, and whether they can be used now. */
import type { ConnectionStatus, ConnectorProblem } from "../../contract/vocabulary.ts";
import type { PublicConnector } from "../../storage/connectors/connectors.ts";
import type { McpServerDoc } from "../../storage/mcp/servers.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { keepAllowedServers } from "../mcp-servers/load.ts";
import { addressOf } from "./upstream/target.ts";

/** A connector whose server the user may use. */
export interface UsableConnector {
  connector: PublicConnector;
  server: McpServerDoc;
}

export interface SeenConnector {
  connector: PublicConnector;
  /** Undefined if the server was removed, or the user has no access to it. */
  server: McpServerDoc | undefined;
  status: ConnectionStatus;
  problem: ConnectorProblem | undefined;
}

/**
 * All connectors of a user, by slug. Access is decided anew each time: a removed member, a changed role, a required
 * second factor or the organization's switch takes effect with the next call.
 */
export async function listConnectors(app: App, actor: UserActor): Promise<SeenConnector[]> {
  return judgeConnectors(app, actor, await app.storage.connectors.listOfUser(actor.userId));
}

/** A user's connector by its slug, with its status as it is now. */
export async function findConnector(
  app: App,
  actor: UserActor,
  slug: string,
): Promise<SeenConnector | undefined> {
  const found = await app.storage.connectors.findWithServer(actor.userId, slug);
  if (!found) return undefined;
  const { connector, server, tenant } = found;
  const [seen] = await judge(app, actor, [connector], server ? [server] : [], tenant ? [tenant] : []);
  return seen;
}

/** The status of connectors for their user. */
export async function judgeConnectors(
  app: App,
  actor: UserActor,
  connectors: readonly PublicConnector[],
): Promise<SeenConnector[]> {
  if (connectors.length === 0) return [];
  const [known, tenants] = await Promise.all([
    app.storage.mcpServers.listByIds(connectors.map((one) => one.serverId)),
    app.storage.tenants.listByIds([...new Set(connectors.map((one) => one.tenantId))]),
  ]);
  return judge(app, actor, connectors, known, tenants);
}

async function judge(
  app: App,
  actor: UserActor,
  connectors: readonly PublicConnector[],
  known: readonly McpServerDoc[],
  tenants: readonly TenantDoc[],
): Promise<SeenConnector[]> {
  const allowed = await keepAllowedServers(app, actor, "mcpServer:read", known);
  const servers = new Map(allowed.map(({ server }) => [server._id, server]));
  const off = new Set(tenants.filter((tenant) => tenant.mcpCentralOff).map((tenant) => tenant._id));
  // Nothing works of an organization that is to be erased, for anyone.
  const open = new Set(tenants.filter((one) => !one.deletionAt && !one.erasing).map((one) => one._id));
  return connectors.map((connector) => {
    const found = servers.get(connector.serverId);
    const server = found?.tenantId === connector.tenantId && open.has(found.tenantId) ? found : undefined;
    return { connector, server, ...statusOf(connector, server, off.has(connector.tenantId)) };
  });
}

function statusOf(
  connector: PublicConnector,
  server: McpServerDoc | undefined,
  isOff: boolean,
): Pick<SeenConnector, "status" | "problem"> {
  if (!server) return { status: "disabled", problem: "no_access" };
  if (isOff) return { status: "disabled", problem: "organization_off" };
  const { status, problem, approvedAddress } = connector;
  if (approvedAddress !== undefined && approvedAddress !== addressOf(server.config))
    return { status: "needs_auth", problem: "address_changed" };
  return { status, problem };
}

/** Whether calls can be sent: a failed server is tried again, one that needs its user is not. */
export function isUsable(seen: SeenConnector): seen is SeenConnector & UsableConnector {
  return seen.server !== undefined && (seen.status === "connected" || seen.status === "error");
}
