/** Registration of anonymous keys over HTTP. */
import { RegisteredPayload } from "../../../contract/payloads/skills/share.ts";
import type { App } from "../../app.ts";
import { route, type Route } from "../../http/route.ts";
import { RegisterIdentity } from "../schema.ts";
import { registerIdentity, registrationPath } from "./anonymous.ts";

export function anonymousRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: registrationPath,
      id: "registerKey",
      failures: ["refused"],
      summary: "Register an Ed25519 key as an anonymous identity; a known key returns its identity",
      tag: "Sharing",
      auth: "optional",
      cookieless: true,
      body: RegisterIdentity,
      data: RegisteredPayload,
      budget: "register",
      async handle({ actor, body, request }) {
        const { _id: id, username } = await registerIdentity(app, body, actor.origin, request);
        return { identity: { id, username, tenantSlug: username, anonymous: true } };
      },
    }),
  ];
}
