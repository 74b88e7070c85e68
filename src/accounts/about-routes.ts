/** The service as it describes itself to anyone, so that a front end can choose its first page. */
import { ServicePayload } from "../../contract/payloads/service/service.ts";
import type { App } from "../app.ts";
import { route, type Route } from "../http/route.ts";
import { signUpMode } from "../users/sign-up-mode.ts";

export function aboutRoutes(app: App, version: string): Route[] {
  return [
    route({
      method: "get",
      path: "/api/service",
      id: "getService",
      summary: "Describe the service: name, version, and how accounts are created",
      tag: "Operation",
      auth: "optional",
      data: ServicePayload,
      async handle(): Promise<ServicePayload> {
        const { config } = app;
        const [hasAccount, mode] = await Promise.all([app.storage.users.hasAny(), signUpMode(app)]);
        return {
          name: config.mailFrom.name || "Skill registry",
          version,
          baseUrl: config.baseUrl,
          setupNeeded: !hasAccount,
          signUpOpen: mode === "open" || !hasAccount,
          mail: config.smtpUrl !== undefined,
          sso: false,
        };
      },
    }),
  ];
}
