/** An attempt to connect: the service tries the server, and records the outcome. */
import { UnauthorizedError } from "@modelcontextprotocol/client";
import type { ConnectorProblem } from "../../../contract/vocabulary.ts";
import type { PublicConnector } from "../../../storage/connectors/connectors.ts";
import type { UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { reportConnectorChange } from "../changes.ts";
import { beginAuthorization } from "../oauth/authorize.ts";
import { connectUpstream } from "../upstream/connect.ts";
import { authOf, loadTarget, type Challenge, type LoadedTarget } from "../upstream/credentials.ts";
import { problemOf } from "../upstream/failure.ts";
import { hostOf } from "../upstream/target.ts";
import type { UsableConnector } from "../usable.ts";

type Attempt = UsableConnector & {
  user: UserActor;
  sessionId: string;
  /** The user has just supplied values. */
  hasValues: boolean;
};

/** Tries the server. Returns the address at which the user has to authorize, if the server requires it. */
export async function tryConnect(app: App, attempt: Attempt): Promise<URL | undefined> {
  const { connector, hasValues } = attempt;
  let loaded: LoadedTarget | undefined;
  let isAccepted = false;
  const challenge: Challenge = {};
  try {
    loaded = await loadTarget(app, attempt);
    await probe(app, connector, loaded, challenge);
    isAccepted = true;
    // Some servers accept strangers until they call a tool.
    const mayBeStranger = connector.problem === "unauthorized" && !loaded.tokens && !hasValues;
    if (mayBeStranger) throw new UnauthorizedError();
    await recordOutcome(app, attempt, undefined);
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    if (problem !== "unauthorized" || !loaded) {
      await recordOutcome(app, attempt, problem);
      return undefined;
    }
  }
  try {
    return await beginAuthorization(app, attempt, loaded.target, challenge);
  } catch (error) {
    app.log.info(
      { connectorId: connector._id, problem: problemOf(error) },
      "the authorization of a connector could not begin",
    );
    await recordOutcome(app, attempt, isAccepted ? undefined : "unauthorized");
    return undefined;
  }
}

/** Connects once, and asks for tools, which some servers refuse although they let anyone connect. */
export async function probe(
  app: App,
  connector: PublicConnector,
  loaded: LoadedTarget,
  challenge: Challenge,
): Promise<void> {
  const upstream = await connectUpstream(app, loaded.target, {
    auth: authOf(app, connector._id, loaded, challenge),
    onChange: () => undefined,
    onClose: () => undefined,
  });
  try {
    if (upstream.client.getServerCapabilities()?.tools)
      await upstream.client.request({ method: "tools/list", params: {} });
  } finally {
    await upstream.close();
  }
}

/** Records the outcome of an attempt, unless a later one has begun. */
export async function recordOutcome(
  app: App,
  { user, connector, server }: UsableConnector & { user: UserActor },
  problem: ConnectorProblem | undefined,
): Promise<void> {
  const { connectors } = app.storage;
  const status = problem === undefined ? "connected" : problem === "unauthorized" ? "needs_auth" : "error";
  const event = makeEvent(app, user, "user.connector_connected", {
    tenantId: connector.tenantId,
    resourceType: "connector",
    resourceId: connector._id,
    metadata: { slug: connector.slug, server: server.slug, host: hostOf(server.config) },
  });
  const events = problem === undefined ? [event] : undefined;
  for (;;) {
    const current = await connectors.find(connector._id);
    // Another attempt has begun, or the connector was deleted.
    if (current?.credentialsRevision !== connector.credentialsRevision) return;
    const patch = { status, problem: problem ?? null } as const;
    const change = { revision: current.revision, patch, now: app.now(), events };
    if (!(await connectors.change(current._id, change))) continue;
    if (events) flushEvents(app, connectors, current._id, events);
    reportConnectorChange(app, user.userId);
    return;
  }
}
