/** The metadata by which clients find the authorization server and what it offers (RFC 8414, RFC 9728). */
import { oauthAccess } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";
import { deviceGrantType } from "../auth/device/device.ts";
import { Reply, route, type Route } from "../http/route.ts";
import { readsClientDocuments } from "./document-support.ts";
import { resources } from "./resources.ts";

const serverMetadata = ({ config: { baseUrl } }: App, readsDocuments: boolean) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  registration_endpoint: `${baseUrl}/oauth/register`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  device_authorization_endpoint: `${baseUrl}/api/auth/device/code`,
  scopes_supported: oauthAccess,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token", deviceGrantType],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: readsDocuments,
  service_documentation: `${baseUrl}/docs`,
});

const resourceMetadata = (
  { config: { baseUrl } }: App,
  { path, scopes, name }: (typeof resources)[number],
) => ({
  resource: baseUrl + path,
  authorization_servers: [baseUrl],
  scopes_supported: scopes,
  bearer_methods_supported: ["header"],
  resource_name: name,
});

export function metadataRoutes(app: App): Route[] {
  const prefix = "/.well-known/oauth-protected-resource";
  return [
    metadataRoute(
      "/.well-known/oauth-authorization-server",
      "Metadata of the authorization server",
      async () => serverMetadata(app, await readsClientDocuments(app)),
    ),
    ...[
      { path: "", resource: resources[0] },
      ...resources.map((resource) => ({ path: resource.path, resource })),
    ].map(({ path, resource }) =>
      metadataRoute(prefix + path, "Metadata of the resource that OAuth clients can call", () =>
        resourceMetadata(app, resource),
      ),
    ),
  ];
}

/** Clients also run in pages of any origin. */
function metadataRoute(path: string, summary: string, describe: () => object | Promise<object>): Route {
  return route({
    method: "get",
    path,
    summary,
    tag: "OAuth",
    auth: "none",
    crossOrigin: "always",
    produces: "application/json",
    handle: async () => new Reply(await describe(), { headers: { "cache-control": "public, max-age=300" } }),
  });
}
