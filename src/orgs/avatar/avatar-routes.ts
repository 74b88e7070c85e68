import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { TenantPayload } from "../../../contract/payloads/organizations/organizations.ts";
import type { App } from "../../app.ts";
import { readBytes } from "../../http/request/body.ts";
import { Reply, routesOf, type Route } from "../../http/route.ts";
import { cacheHeaders, notModified } from "../../http/service/conditional.ts";
import { presentTenant } from "../present.ts";
import { TenantParams } from "../schema.ts";
import { deleteAvatar, readAvatar, setAvatar } from "./avatar.ts";

const route = routesOf({ tag: "Organizations", auth: "required" });
const AvatarQuery = z.object({
  v: z.string().max(64).optional().meta({ description: "as in avatarUrl: such an answer may be kept" }),
});

export function avatarRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/avatar",
      id: "getAvatar",
      conditional: true,
      summary: "The avatar, a WebP of 256 by 256 pixels",
      params: TenantParams,
      query: AvatarQuery,
      produces: "image/webp",
      async handle({ actor, params, query, request }) {
        const avatar = await readAvatar(app, actor, params.tenant);
        const headers = cacheHeaders(avatar.etag, { fixed: query.v === avatar.id, shared: false });
        return (
          notModified(request, headers) ?? new Reply(await avatar.bytes(), { type: "image/webp", headers })
        );
      },
    }),
    route({
      method: "put",
      path: "/api/tenants/:tenant/avatar",
      id: "setAvatar",
      failures: ["content_invalid"],
      summary: "Set the avatar: the body is a JPEG, PNG, WebP or GIF",
      params: TenantParams,
      stream: true,
      data: TenantPayload,
      budget: "upload",
      handle: async ({ actor, params, request }) =>
        presentTenant(
          app,
          await setAvatar(app, actor, params.tenant, () => readBytes(request.stream, limits.avatarBytes)),
          actor,
        ),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant/avatar",
      id: "removeAvatar",
      summary: "Remove the avatar",
      params: TenantParams,
      data: null,
      handle: ({ actor, params }) => deleteAvatar(app, actor, params.tenant),
    }),
  ];
}
