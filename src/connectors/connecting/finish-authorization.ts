/** The way back from the authorization at the provider of a server: the callback's parameters, and the exchange. */
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { finishExchange } from "../oauth/authorize.ts";
import { hashState } from "../oauth/provider.ts";
import { reloadConnector } from "../service.ts";
import { loadTarget } from "../upstream/credentials.ts";
import { problemOf } from "../upstream/failure.ts";
import { poolOf } from "../upstream/pool.ts";
import { judgeConnectors, type SeenConnector } from "../usable.ts";
import { probe, recordOutcome } from "./attempt.ts";

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
    await recordOutcome(app, attempt, undefined);
  } catch (error) {
    const problem = problemOf(error);
    app.log.info({ connectorId: found._id, problem }, "the authorization of a connector failed");
    await recordOutcome(app, attempt, problem);
  }
  poolOf(app).drop(found._id);
  return reloadConnector(app, actor, found);
}
