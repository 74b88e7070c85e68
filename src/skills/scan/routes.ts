/** Routes of scans. */
import { ScanPayload } from "../../../contract/payloads/skills/scans.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { VersionParams } from "../schema.ts";
import { readScan } from "./read-scan.ts";

const route = routesOf({ tag: "Skills", auth: "optional" });

export function scanRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/versions/:version/scan",
      id: "getScan",
      summary: "Read the scan of a version for hidden and harmful content",
      params: VersionParams,
      data: ScanPayload,
      handle: ({ actor, params }) => readScan(app, actor, params.skill, params.version),
    }),
  ];
}
