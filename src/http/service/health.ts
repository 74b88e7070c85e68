/** Liveness and readiness. Alive: the process responds. Ready: its engines respond, and it is not about to end. */
import { ServiceError } from "../../errors.ts";
import { routesOf, type Route } from "../route.ts";

const route = routesOf({ tag: "Operation", auth: "none" });

export interface Health {
  /** Set when the process begins to end, so that load balancers stop sending requests before the listener closes. */
  isDraining: boolean;
  /** Fires at the same time, for responses that would never end otherwise. */
  draining?: AbortSignal;
  /** Each throws if its engine does not respond. */
  checks: Record<string, () => Promise<unknown>>;
}

const alive = { status: "alive" };

export function healthRoutes(health: Health): Route[] {
  return [
    route({
      method: "get",
      path: "/healthz",
      summary: "Whether the process is alive",
      constant: alive,
      handle: async () => alive,
    }),
    route({
      method: "get",
      path: "/readyz",
      summary: "Whether the process can serve",
      async handle() {
        if (health.isDraining) throw new ServiceError("unavailable", "The process is ending.");
        const names = Object.keys(health.checks);
        const results = await Promise.allSettled(Object.values(health.checks).map((check) => check()));
        const failed = names.filter((_, index) => results[index]?.status === "rejected");
        if (failed.length > 0)
          throw new ServiceError("unavailable", `Not answering: ${failed.join(", ")}.`, { failed });
        return { status: "ready", checks: Object.fromEntries(names.map((name) => [name, "ok"])) };
      },
    }),
  ];
}
