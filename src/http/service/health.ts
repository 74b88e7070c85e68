/**
 * Liveness and readiness. Alive: the process responds. Ready: its database responds, and it is not about to end.
 * Degraded: it serves, but the jobs of changes wait until its queue responds again.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "../../errors.ts";
import type { Release } from "../../release.ts";
import { routesOf, type Route } from "../route.ts";

const route = routesOf({ tag: "Operation", auth: "none" });

export interface Health {
  release: Release;
  /** Set when the process begins to end, so that load balancers stop sending requests before the listener closes. */
  isDraining: boolean;
  /** Fires at the same time, for responses that would never end otherwise. */
  draining?: AbortSignal;
  /** Each throws if its engine does not respond. Without `database`, the process can't serve. */
  checks: Record<string, () => Promise<unknown>>;
}

interface Readiness {
  status: "ready" | "degraded";
  checks: Record<string, "ok" | "unavailable">;
}

const aliveOf = ({ release }: Health) => ({ status: "alive", ...release });

/** Throws `unavailable` if requests should go to another process. */
async function readinessOf({ isDraining, checks }: Health): Promise<Readiness> {
  if (isDraining) throw new ServiceError("unavailable", "The process is ending.");
  const names = Object.keys(checks);
  const results = await Promise.allSettled(Object.values(checks).map((check) => check()));
  const failed = names.filter((_, index) => results[index]?.status === "rejected");
  if (failed.includes("database"))
    throw new ServiceError("unavailable", `Not answering: ${failed.join(", ")}.`, { failed });
  return {
    status: failed.length > 0 ? "degraded" : "ready",
    checks: Object.fromEntries(names.map((name) => [name, failed.includes(name) ? "unavailable" : "ok"])),
  };
}

export function healthRoutes(health: Health): Route[] {
  const alive = aliveOf(health);
  return [
    route({
      method: "get",
      path: "/healthz",
      summary: "Liveness of the process, with its version and commit",
      constant: alive,
      handle: async () => alive,
    }),
    route({
      method: "get",
      path: "/readyz",
      summary: "Whether the process can serve",
      handle: () => readinessOf(health),
    }),
  ];
}

/** Answers both routes on a listener that is not the API's, for processes that have no other. */
export async function answerProbe(
  health: Health,
  { url }: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (url !== "/healthz" && url !== "/readyz") return false;
  const send = (status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  try {
    send(200, { success: true, data: url === "/healthz" ? aliveOf(health) : await readinessOf(health) });
  } catch (error) {
    const { code, message } = error as ServiceError;
    send(503, { success: false, code, error: message });
  }
  return true;
}
