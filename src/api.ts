/** Every way in: the features' routes, named in one file. */
import type { App } from "./app.ts";
import type { Route } from "./http/route.ts";
import { tenantRoutes } from "./orgs/routes.ts";
import { skillRoutes } from "./skills/routes.ts";

export function apiRoutes(app: App): Route[] {
  return [...tenantRoutes(app), ...skillRoutes(app)];
}
