/** Routes of identity providers. SCIM has its own wire format, so that they answer outside of the envelope. */
import { z } from "zod";
import type { App } from "../app.ts";
import type { ErrorTranslator } from "../http/errors.ts";
import { route, type Method, type Route } from "../http/route.ts";
import { handleScim } from "./endpoint.ts";

const Params = z.object({ provider: z.string(), rest: z.string().optional() });
/** Checked by SCIM's own rules, which have errors of their own. */
const Query = z.object({
  filter: z.unknown().optional(),
  attributes: z.unknown().optional(),
  excludedAttributes: z.unknown().optional(),
  sortBy: z.unknown().optional(),
  sortOrder: z.unknown().optional(),
  startIndex: z.unknown().optional(),
  count: z.unknown().optional(),
});

const methods: readonly Method[] = ["get", "post", "put", "patch", "delete"];

export function scimEndpointRoutes(app: App, translators: ErrorTranslator[]): Route[] {
  return methods.flatMap((method) =>
    ["/scim/v2/:provider", "/scim/v2/:provider/*rest"].map((path) =>
      route({
        method,
        path,
        summary: "A request of an identity provider (SCIM 2.0)",
        tag: "SCIM",
        auth: "deferred",
        produces: "application/scim+json",
        params: Params,
        query: Query,
        handle: ({ actor, params, query, request }) =>
          handleScim(
            app,
            {
              providerId: params.provider,
              method: request.isHead ? "HEAD" : method.toUpperCase(),
              segments: (params.rest ?? "").split("/").filter((segment) => segment !== ""),
              query: query ?? {},
              request,
              origin: actor.origin,
            },
            translators,
          ),
      }),
    ),
  );
}
