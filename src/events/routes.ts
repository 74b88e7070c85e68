import { z } from "zod";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { authenticate } from "../auth/authenticate.ts";
import { forbidden, unauthenticated } from "../errors.ts";
import { sessionCookieName } from "../http/request/cookies.ts";
import { route, type RequestInfo, type Route } from "../http/route.ts";
import { streamReply } from "../http/service/event-streams.ts";
import type { Health } from "../http/service/health.ts";
import { loadTenant } from "../orgs/service.ts";
import { openChangeEvents } from "./listeners.ts";

const EventsQuery = z.object({
  tenant: z.string().min(1).max(64).optional().meta({ description: "id or slug; default: all of your own" }),
});

export function eventRoutes(app: App, health: Health | undefined): Route[] {
  const events = openChangeEvents(app, health?.draining);
  return [
    route({
      method: "get",
      path: "/api/events",
      id: "streamEvents",
      failures: ["sso_required", "mfa_required", "reauthentication_required", "not_found"],
      summary: "Listen to changes in your organizations, as ids that changed (server-sent events)",
      tag: "Events",
      auth: "required",
      query: EventsQuery,
      produces: "text/event-stream",
      async handle({ actor, query, request }) {
        if (actor.kind === "anonymous-key")
          throw forbidden("This call is signed by an anonymous key, and this needs a person: sign in.");
        const tenant =
          query.tenant === undefined ? undefined : await loadTenant(app, actor, query.tenant, "member");
        if (request.isHead) return streamReply();
        const stream = events.open(request, {
          actor,
          tenantId: tenant?._id,
          authenticate: () => authenticateAgain(app, actor, request),
          lastEventId: request.header("last-event-id"),
        });
        return streamReply(stream);
      },
    }),
  ];
}

async function authenticateAgain(app: App, { origin }: Actor, request: RequestInfo): Promise<Actor> {
  const actor = await authenticate(app, {
    authorization: request.header("authorization"),
    sessionCookie: request.cookie(sessionCookieName(app.config.baseUrl)),
    signed: undefined,
    origin,
  });
  if (actor.kind === "anonymous") throw unauthenticated();
  return actor;
}
