/** Information for command-line clients that does not require a sign-in. */
import { ClientPayload } from "../../contract/payloads/client.ts";
import { route, type Route } from "./route.ts";

/** `version`: of the service, and so of the client that is made from the same sources. */
export function clientRoutes(version: string): Route[] {
  return [
    route({
      method: "get",
      path: "/api/client",
      summary: "The version of svc, the command-line client, that goes with this service",
      tag: "Operation",
      auth: "none",
      data: ClientPayload,
      handle: async () => ({ version }),
    }),
  ];
}
