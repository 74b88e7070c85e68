/**
 * Connecting: the user supplies values, the service tries the server, and if the server's provider has to authorize,
 * the browser goes there and comes back to `finishAuthorization`. Only the browser session that began may complete it.
 */
import { UnauthorizedError } from "@modelcontextprotocol/client";
import type { McpServerConfig } from "../../contract/mcp-servers.ts";
import type { ConnectorProblem } from "../../contract/vocabulary.ts";
import type { KnownConnector } from "../../storage/connectors/connectors.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { forbidden, invalidRequest, ServiceError } from "../errors.ts";
import { reportConnectorChange } from "./changes.ts";
import { beginAuthorization, finishExchange } from "./oauth/authorize.ts";
import { hashState } from "./oauth/provider.ts";
import { revokeAll } from "./oauth/revoke.ts";
import { connectUrl } from "./present.ts";
import type { ConnectConnector } from "./schema.ts";
import { loadConnector, requireEnabled } from "./service.ts";
import { connectUpstream } from "./upstream/connect.ts";
import { authOf, loadTarget, type Challenge, type LoadedTarget } from "./upstream/credentials.ts";
import { problemOf } from "./upstream/failure.ts";
import { poolOf } from "./upstream/pool.ts";
import {
  addressOf,
  hostOf,
  placeOf,
  targetOf,
  valueProblem,
  valuesFor,
  type SuppliedValues,
} from "./upstream/target.ts";
import { judgeConnectors, type SeenConnector, type UsableConnector } from "./usable.ts";
import { readSecret, withSecrets } from "./vault.ts";

export interface ConnectResult {
  user: UserActor;
  seen: SeenConnector;
  authorizationUrl: URL | undefined;
}

type Attempt = UsableConnector & {
  user: UserActor;
  sessionId: string;
  /** The user has just supplied values. */
  hasValues: boolean;
};

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
  return { user, seen: await reload(app, user, saved), authorizationUrl };
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

async function reload(app: App, user: UserActor, connector: KnownConnector): Promise<SeenConnector> {
  const current = (await app.storage.connectors.find(connector._id)) ?? connector;
  return (await judgeConnectors(app, user, [current]))[0]!;
}

/**
 * Stores the values and the address that the user approves by connecting. Values, tokens and the client of a former
 * address are forgotten, so that none is sent to the new one; with other values in the same address, the tokens are.
 */
async function approve(
  app: App,
  { connector, server }: UsableConnector,
  { variables: supplied = {}, reauthorize = false }: ConnectConnector,
): Promise<KnownConnector> {
  const { connectors } = app.storage;
  const stored = await connectors.withSecrets(connector._id);
  if (!stored) throw concurrent();
  const address = addressOf(server.config);
  const isSame = stored.approvedAddress === address;
  const former = isSame ? (readSecret<SuppliedValues>(app, stored, "variables") ?? {}) : {};
  const variables = checkValues(server.config, former, supplied);
  const keepsTokens =
    isSame && !reauthorize && placeOf(server.config, former) === placeOf(server.config, variables);
  const vault = withSecrets(app, stored, {
    variables,
    flow: null,
    client: isSame ? undefined : null,
    tokens: keepsTokens ? undefined : null,
  });
  const change = {
    vault,
    supplied: Object.keys(variables),
    approvedAddress: address,
    generation: stored.generation + 1,
    status: stored.status === "pending" ? "pending" : "needs_auth",
    flow: null,
    issuer: keepsTokens ? undefined : null,
  } as const;
  if (!(await connectors.change(stored._id, stored.revision, change, app.now()))) throw concurrent();
  // Finished before others are given: some servers revoke all that the user has given to a client.
  if (vault.fields.tokens === undefined && stored.vault?.fields.tokens !== undefined)
    await revokeAll(app, [stored]);
  const saved = await connectors.find(stored._id);
  if (!saved) throw concurrent();
  return saved;
}

function concurrent(): ServiceError {
  return new ServiceError("conflict", "The connector was changed concurrently: try again.", {
    kind: "connector",
  });
}

/** All values: those supplied now, else those stored. An empty one removes a value. */
function checkValues(
  config: UsableConnector["server"]["config"],
  former: SuppliedValues,
  supplied: SuppliedValues,
): Record<string, string> {
  const specs = valuesFor(config);
  const issues = Object.keys(supplied)
    .filter((name) => !specs.some((spec) => spec.name === name))
    .map((name) => ({ path: `variables.${name.slice(0, 50)}`, message: "The server has no such value" }));
  const values: Record<string, string> = {};
  for (const spec of specs) {
    const own = (from: SuppliedValues) => (Object.hasOwn(from, spec.name) ? from[spec.name]! : undefined);
    const value = own(supplied) ?? own(former) ?? "";
    const problem = value === "" ? spec.required && `"${spec.label}" is required` : valueProblem(spec, value);
    if (problem) issues.push({ path: `variables.${spec.name}`, message: problem });
    if (value !== "") values[spec.name] = value;
  }
  if (issues.length === 0 && targetOf(config, values) === "values_missing")
    issues.push({ path: "variables", message: "The address of the server can't be made from these values" });
  if (issues.length > 0) throw invalidRequest(`${issues[0]!.message}.`, { kind: "connector", issues });
  return values;
}

/** Tries the server. Returns the address at which the user has to authorize, if the server requires it. */
async function tryConnect(app: App, attempt: Attempt): Promise<URL | undefined> {
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
    await settle(app, attempt, undefined);
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    if (problem !== "unauthorized" || !loaded) {
      await settle(app, attempt, problem);
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
    await settle(app, attempt, isAccepted ? undefined : "unauthorized");
    return undefined;
  }
}

/** Connects once, and asks for tools, which some servers refuse although they let anyone connect. */
async function probe(
  app: App,
  connector: KnownConnector,
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

/** Stores how an attempt has ended. */
async function settle(
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
  const events = problem === undefined ? [event] : [];
  for (;;) {
    const current = await connectors.find(connector._id);
    // Another attempt has begun, or the connector was deleted.
    if (current?.generation !== connector.generation) return;
    const change = { status, problem: problem ?? null } as const;
    if (!(await connectors.change(current._id, current.revision, change, app.now(), events))) continue;
    if (events.length > 0) flushEvents(app, connectors, current._id, events);
    reportConnectorChange(app, user.userId);
    return;
  }
}

/**
 * Completes an authorization with the parameters of the callback. Returns the connector, or undefined if the caller
 * has begun no such authorization, or too long ago: then nothing is sent anywhere.
 */
export async function finishAuthorization(
  app: App,
  actor: Actor,
  parameters: URLSearchParams,
): Promise<SeenConnector | undefined> {
  const state = parameters.get("state") ?? "";
  if (actor.kind !== "user" || actor.via.kind !== "session" || state === "") return undefined;
  const { connectors } = app.storage;
  const found = await connectors.findByState(hashState(state));
  const isOwn = found?.userId === actor.userId && found.flow?.sessionId === actor.via.sessionId;
  if (!found || !isOwn || found.flow!.expiresAt <= app.now()) return undefined;
  const [seen] = await judgeConnectors(app, actor, [found]);
  if (!seen?.server || seen.status === "disabled" || seen.problem === "address_changed") return seen;
  let attempt = { user: actor, connector: found, server: seen.server };
  try {
    attempt = { ...attempt, connector: await finishExchange(app, attempt, parameters) };
    const loaded = await loadTarget(app, attempt);
    await probe(app, found, loaded, {});
    await settle(app, attempt, undefined);
  } catch (error) {
    const problem = problemOf(error);
    app.log.info({ connectorId: found._id, problem }, "the authorization of a connector failed");
    await settle(app, attempt, problem);
  }
  poolOf(app).drop(found._id);
  return reload(app, actor, found);
}
