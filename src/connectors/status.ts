/** Records how connections and calls end, without delaying their callers. */
import { limits } from "../../contract/limits.ts";
import { cutAtWord } from "../../contract/text/cut-text.ts";
import type { ConnectorProblem } from "../../contract/vocabulary.ts";
import type { ConnectorCallDoc } from "../../storage/connectors/calls.ts";
import type { PublicConnector } from "../../storage/connectors/connectors.ts";
import type { App } from "../app.ts";
import { reportConnectorChange } from "./changes.ts";

/** The last use of a connector is recorded at most once in this time. */
const useStepMs = 60_000;
const nameLength = 128;

/** A connector that works again is connected. */
export function noteSuccess(app: App, connector: PublicConnector): void {
  if (connector.status !== "error") return;
  app.background("note that a connector works", () =>
    app.storage.connectors.noteStatus(connector, undefined, app.now()),
  );
}

/** Problems of single calls do not change the status. */
const ofCalls = new Set<ConnectorProblem>(["timed_out", "too_large", "rate_limited", "refused"]);

export function noteFailure(app: App, connector: PublicConnector, problem: ConnectorProblem): void {
  if (ofCalls.has(problem)) return;
  app.background("note that a connector fails", async () => {
    if (problem !== "unauthorized" && problem !== "values_missing")
      return app.storage.connectors.noteStatus(connector, problem, app.now());
    await app.storage.connectors.noteUnauthorized(connector, app.now());
    reportConnectorChange(app, connector.userId);
  });
}

/** Records a call for its user: no arguments, no results. */
export function recordCall(
  app: App,
  connector: PublicConnector,
  call: Pick<ConnectorCallDoc, "kind" | "outcome" | "bytes"> & { name?: string; ms: number },
): void {
  const { _id, userId, tenantId, serverId, slug, lastUsedAt } = connector;
  const now = app.now();
  const row: ConnectorCallDoc = {
    _id: app.newId(),
    userId,
    tenantId,
    connectorId: _id,
    connector: slug,
    serverId,
    kind: call.kind,
    name: call.name === undefined ? undefined : cutAtWord(call.name, nameLength),
    outcome: call.outcome,
    ms: Math.round(call.ms),
    bytes: call.bytes,
    at: now,
  };
  app.background("record a call of a connector", () => app.storage.connectorCalls.insert(row));
  if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < useStepMs) return;
  app.background("note the use of a connector", () => app.storage.connectors.noteUse(_id, now));
}

/** Time before which calls are removed. */
export function oldestCall(app: App): Date {
  return new Date(app.now().getTime() - limits.connectorCallDays * 86_400_000);
}
