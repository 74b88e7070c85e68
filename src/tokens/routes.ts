import { CreatedTokenPayload, TokenPayload } from "../../contract/payloads.ts";
import type { App } from "../app.ts";
import { Enveloped, Page, route, type Route } from "../http/route.ts";
import { presentCreatedToken, presentToken } from "./present.ts";
import { CreateToken, TokenParams } from "./schema.ts";
import { createToken, listTokens, revokeToken } from "./service.ts";

const tag = "Personal tokens";

export function tokenRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/tokens",
      summary: "List your API tokens",
      tag,
      auth: "required",
      data: TokenPayload,
      page: true,
      handle: async ({ actor }) => new Page((await listTokens(app, actor)).map(presentToken), null),
    }),
    route({
      method: "post",
      path: "/api/user/tokens",
      summary: "Create an API token; its secret is shown this once",
      tag,
      auth: "required",
      body: CreateToken,
      status: 201,
      data: CreatedTokenPayload,
      // In an envelope of its own, so that the secret is not kept for repeated calls.
      handle: async ({ actor, body }) =>
        new Enveloped(presentCreatedToken(await createToken(app, actor, body))),
    }),
    route({
      method: "delete",
      path: "/api/user/tokens/:id",
      summary: "Revoke an API token at once",
      tag,
      auth: "required",
      params: TokenParams,
      data: null,
      handle: ({ actor, params }) => revokeToken(app, actor, params.id),
    }),
  ];
}
