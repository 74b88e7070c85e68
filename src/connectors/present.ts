import type { ConnectorCallPayload, ConnectorPayload } from "../../contract/payloads/connectors.ts";
import type { ConnectorCallDoc } from "../../storage/connectors/calls.ts";
import type { UserActor } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { sentenceOf } from "./upstream/problems.ts";
import { hostOf, valuesFor } from "./upstream/target.ts";
import type { SeenConnector } from "./usable.ts";

/** Page on which a user connects. */
export function connectUrl(app: App, publicId: string): string {
  return `${app.config.baseUrl}/settings/connectors?connect=${publicId}`;
}

export function presentConnector(
  app: App,
  actor: UserActor,
  { connector, server, status, problem }: SeenConnector,
): ConnectorPayload {
  const { _id, publicId, slug, tenantId, serverId, createdAt, lastUsedAt } = connector;
  const supplied = new Set(connector.supplied);
  const tenantSlug = membershipIn(actor, tenantId)?.tenantSlug;
  return {
    id: _id,
    publicId,
    slug,
    tenantId,
    tenantSlug,
    serverId,
    server: server
      ? {
          publicId: server.publicId,
          slug: server.slug,
          name: server.name,
          host: hostOf(server.config),
          url: server.config.url ?? "",
        }
      : null,
    connectionStatus: status,
    needsReconnect: status === "needs_auth",
    problem: problem ?? null,
    lastError: problem ? sentenceOf(problem) : null,
    issuer: connector.issuer ?? null,
    values: server
      ? valuesFor(server.config).map(({ name, label, description, secret, required, format }) => ({
          name,
          label,
          description,
          secret,
          required,
          format,
          supplied: problem !== "address_changed" && supplied.has(name),
        }))
      : [],
    connectUrl: connectUrl(app, publicId),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

export function presentCall(call: ConnectorCallDoc): ConnectorCallPayload {
  const { _id, connectorId, connector, kind, name, outcome, ms, bytes, at } = call;
  return {
    id: _id,
    connectorId,
    connector,
    kind,
    name,
    outcome,
    ms,
    bytes,
    at: at.toISOString(),
  };
}
