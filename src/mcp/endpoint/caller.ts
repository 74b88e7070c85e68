/** The caller of an endpoint, as an agent. */
import type { Actor } from "../../access/actor.ts";
import type { RequestInfo } from "../../http/route.ts";
import type { EndpointOptions } from "./options.ts";

/** Throws for callers who can't use the endpoint. */
export async function identifyAgent(
  info: RequestInfo,
  { authorize }: Pick<EndpointOptions, "authorize">,
): Promise<Actor> {
  const actor = asAgent(await info.authenticate!());
  await authorize?.(actor);
  return actor;
}

/** Versions that an agent publishes have a source of their own; its downloads count as those of the API. */
function asAgent(actor: Actor): Actor {
  const source = actor.origin.source === "oidc" ? "oidc" : "mcp";
  return { ...actor, origin: { ...actor.origin, source, client: "api" } };
}
