/** The addresses of the dashboard's pages, as `web/routes.ts` lists them. */
import path from "node:path";
import { tsImport } from "tsx/esm/api";
import { root } from "../root.ts";

/** A module of `web/` as a source, since the compiled tests have the built front end in place of that folder. */
export const loadSource = <T>(file: string) => tsImport(path.join(root, file), import.meta.url) as Promise<T>;

export interface RouteNode {
  type: string;
  path?: string;
  children?: readonly RouteNode[];
}

export async function loadRoutes(): Promise<RouteNode> {
  const { routes } = await loadSource<{ routes: RouteNode }>("web/routes.ts");
  return routes;
}

/** Patterns of all pages, with parameters as `$org`; a frame with an index page counts once. */
export function addressesOf(node: RouteNode, above = ""): string[] {
  const own = node.type === "route" ? `${above}/${node.path ?? ""}`.replaceAll(/\/+/g, "/") : above;
  if (!node.children?.length) return [own === "" ? "/" : own];
  return [...new Set(node.children.flatMap((child) => addressesOf(child, own)))];
}
