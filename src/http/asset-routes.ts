/** Style sheet and icon of the server-rendered pages. */
import { iconPath, iconReply, stylePath, styleReply } from "./pages.ts";
import { route, type Route } from "./route.ts";

export function assetRoutes(): Route[] {
  return [
    route({
      method: "get",
      path: stylePath,
      summary: "Style sheet of the pages",
      tag: "Pages",
      auth: "optional",
      produces: "text/css",
      handle: async () => styleReply(),
    }),
    route({
      method: "get",
      path: iconPath,
      summary: "Icon of the pages",
      tag: "Pages",
      auth: "optional",
      produces: "image/svg+xml",
      handle: async () => iconReply(),
    }),
  ];
}
