/**
 * A user connects in the browser: supplies values (`approve.ts`), and the service tries the server (`attempt.ts`). If
 * the server's provider has to authorize, the browser goes there and comes back (`finish-authorization.ts`). Only the
 * browser session that began may complete it.
 */
import type { McpServerConfig } from "../../../contract/mcp-servers.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { forbidden, ServiceError } from "../../errors.ts";
import { connectUrl } from "../present.ts";
import type { ConnectConnector } from "../schema.ts";
import { loadConnector, reloadConnector, requireEnabled } from "../service.ts";
import { poolOf } from "../upstream/pool.ts";
import { hostOf } from "../upstream/target.ts";
import type { SeenConnector } from "../usable.ts";
import { approve } from "./approve.ts";
import { tryConnect } from "./attempt.ts";

export interface ConnectResult {
  user: UserActor;
  seen: SeenConnector;
  authorizationUrl: URL | undefined;
}

/**
 * Connects a connector of the caller. Throws `forbidden` without a browser session, `refused` if the organization has
 * turned connectors off, `conflict` if the server has another host or address than the caller saw, and
 * `invalid_request` for values that the server does not declare or that are missing.
 */
export async function connectConnector(
  app: App,
  actor: Actor,
  ref: string,
  input: ConnectConnector,
): Promise<ConnectResult> {
  const { user, seen } = await loadConnector(app, actor, ref);
  const { connector, server } = seen;
  if (user.via.kind !== "session")
    throw forbidden(`Connect in the browser: open ${connectUrl(app, connector.publicId)}.`);
  await requireEnabled(app, connector.tenantId);
  if (!server)
    throw new ServiceError("refused", "The server was removed, or you no longer have access to it.", {
      kind: "connector",
    });
  requireSeenAddress(server.config, input);
  const saved = await approve(app, { connector, server }, input);
  poolOf(app).drop(connector._id);
  const hasValues = Object.keys(input.variables ?? {}).length > 0;
  const attempt = { user, sessionId: user.via.sessionId, connector: saved, server, hasValues };
  const authorizationUrl = await tryConnect(app, attempt);
  return { user, seen: await reloadConnector(app, user, saved), authorizationUrl };
}

/** Throws `conflict` if the server has another address than the user saw. */
function requireSeenAddress(config: McpServerConfig, { host, url }: ConnectConnector): void {
  const present =
    host !== undefined && host !== hostOf(config)
      ? hostOf(config)
      : url !== undefined && url !== config.url
        ? config.url
        : undefined;
  if (present === undefined) return;
  throw new ServiceError(
    "conflict",
    `The server's address is now ${present}: check that you trust it, and connect again.`,
    { kind: "connector" },
  );
}
