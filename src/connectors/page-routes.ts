/** Addresses that browsers and authorization servers visit when a connector is authorized. */
import { z } from "zod";
import type { App } from "../app.ts";
import { redirectReply } from "../http/pages/pages.ts";
import { Reply, routesOf, type Route } from "../http/route.ts";
import { callbackPath, clientDocumentPath, clientMetadata } from "./oauth/provider.ts";

const route = routesOf({ tag: "Pages", auth: "optional" });

const parameter = z.string().max(4000).optional();
const CallbackQuery = z.object({
  code: parameter,
  state: parameter,
  iss: parameter,
  error: parameter,
  error_description: parameter,
});

export function connectorPageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: callbackPath,
      summary: "End of the authorization of a hosted connector",
      produces: "text/html",
      query: CallbackQuery,
      async handle({ actor, query }) {
        const given = Object.entries(query).filter(([, value]) => value !== undefined);
        const { finishAuthorization } = await import("./connecting/finish-authorization.ts");
        const seen = await finishAuthorization(app, actor, new URLSearchParams(given));
        // The code and the state must not stay in the address bar, nor in what the page sends as its referrer.
        const result = seen ? `connect=${seen.connector.publicId}&result=${seen.status}` : "result=expired";
        return redirectReply(`/settings/connectors?${result}`);
      },
    }),
    route({
      method: "get",
      path: clientDocumentPath,
      summary: "This service as an OAuth client of the providers of MCP servers",
      auth: "none",
      produces: "application/json",
      async handle() {
        const { baseUrl } = app.config;
        const document = { client_id: `${baseUrl}${clientDocumentPath}`, ...clientMetadata(baseUrl) };
        return new Reply(JSON.stringify(document), {
          type: "application/json",
          headers: { "cache-control": "public, max-age=3600" },
        });
      },
    }),
  ];
}
