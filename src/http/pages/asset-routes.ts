/** Style sheet and icon of the server-rendered pages. */
import { routesOf, type Route } from "../route.ts";
import { iconPath, iconReply, stylePath, styleReply } from "./pages.ts";

const route = routesOf({ tag: "Pages", auth: "optional" });

export function assetRoutes(): Route[] {
  return [
    route({
      method: "get",
      path: stylePath,
      summary: "Style sheet of the pages",
      produces: "text/css",
      handle: async () => styleReply(),
    }),
    route({
      method: "get",
      path: iconPath,
      summary: "Icon of the pages",
      produces: "image/svg+xml",
      handle: async () => iconReply(),
    }),
  ];
}
