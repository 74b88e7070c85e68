import { z } from "zod";
import {
  SkillIndexPayload,
  SkillIndexSettingsPayload,
} from "../../../contract/payloads/discovery/indexes.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { chooseIndexCollection, readIndexSettings, readPublicIndex } from "./settings.ts";

const ChooseCollection = z.strictObject({
  collection: z.string().min(1).max(64).nullable().meta({
    description: "slug or id of a collection that is in no folder; null: the most downloaded skills",
  }),
});
const OrganizationParams = z.object({
  organization: z.string().min(1).max(64).meta({ description: "slug, or a previous one" }),
});

const path = "/api/tenants/:tenant/skill-index";
const route = routesOf({ tag: "Other clients", auth: "required" });

export function indexSettingsRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path,
      id: "getSkillIndex",
      summary: "Read which skills other clients find in the index of an organization",
      params: TenantParams,
      data: SkillIndexSettingsPayload,
      handle: ({ actor, params }) => readIndexSettings(app, actor, params.tenant),
    }),
    route({
      method: "put",
      path,
      id: "setSkillIndex",
      summary: "Choose the collection that other clients find in the index of an organization",
      params: TenantParams,
      body: ChooseCollection,
      data: SkillIndexSettingsPayload,
      handle: ({ actor, params, body }) => chooseIndexCollection(app, actor, params.tenant, body.collection),
    }),
    route({
      method: "get",
      path: "/api/explore/organizations/:organization/skill-index",
      id: "exploreSkillIndex",
      summary:
        "Read how many skills the index of an organization has for other clients, and which it can't have",
      auth: "optional",
      crossOrigin: "anonymous",
      params: OrganizationParams,
      data: SkillIndexPayload,
      budget: "search",
      handle: ({ actor, params }) => readPublicIndex(app, actor, params.organization),
    }),
  ];
}
