/** The metadata by which clients find the authorization server and what it offers (RFC 8414, RFC 9728). */
import { oauthAccess } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";
import { deviceGrantType } from "../auth/device.ts";
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
    ...metadataRoutesAt(
      "/.well-known/oauth-authorization-server",
      "Metadata of the authorization server",
      async () => serverMetadata(app, await readsClientDocuments(app)),
    ),
    ...[
      { path: "", resource: resources[0] },
      ...resources.map((resource) => ({ path: resource.path, resource })),
    ].flatMap(({ path, resource }) =>
      metadataRoutesAt(prefix + path, "Metadata of the resource that OAuth clients can call", () =>
        resourceMetadata(app, resource),
      ),
    ),
  ];
}

/** Clients also run in pages of any origin, which ask first since they name the version of their protocol. */
const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-allow-headers": "*",
  "access-control-max-age": "86400",
};

function metadataRoutesAt(path: string, summary: string, describe: () => object | Promise<object>): Route[] {
  const common = { path, tag: "OAuth", auth: "none", produces: "application/json" } as const;
  return [
    route({
      ...common,
      method: "get",
      summary,
      handle: async () =>
        new Reply(await describe(), { headers: { ...cors, "cache-control": "public, max-age=300" } }),
    }),
    route({
      ...common,
      method: "options",
      summary: `${summary}: what pages of other origins may send`,
      handle: async () => new Reply(undefined, { status: 204, headers: cors }),
    }),
  ];
}
