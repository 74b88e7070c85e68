import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import {
  SsoConsequencesPayload,
  SsoGroupMapping,
  SsoProviderPayload,
  SsoSignInPayload,
  SsoTestPayload,
  SsoTestStartPayload,
} from "../../../contract/payloads/accounts/sso.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import {
  CreateSsoProvider,
  EncryptionKeyParams,
  ProviderParams,
  PutGroupMappings,
  SignInsQuery,
  TestParams,
  UpdateSsoProvider,
} from "../schema.ts";
import { listSignIns } from "../sign-in/log.ts";
import { prepareTest, readTest } from "../sign-in/test-sign-in.ts";
import { readConsequences } from "./consequences.ts";
import { addEncryptionKey, removeEncryptionKey } from "./encryption.ts";
import { listMappings, putMappings } from "./group-mappings.ts";
import { loadProvider } from "./load.ts";
import { presentProviders } from "./present.ts";
import { createProvider, deleteProvider, listProviders, updateProvider } from "./service.ts";

const route = routesOf({ tag: "Single sign-on", auth: "required" });
const base = "/api/tenants/:tenant/sso/providers";

export function ssoProviderRoutes(app: App): Route[] {
  return [
    ...readRoutes(app),
    consequencesRoute(app),
    ...changeRoutes(app),
    ...encryptionRoutes(app),
    ...mappingRoutes(app),
    ...testRoutes(app),
  ];
}

function readRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: base,
      id: "listSsoProviders",
      summary: "List the identity providers of an organization, oldest first",
      params: TenantParams,
      data: z
        .array(SsoProviderPayload)
        .max(limits.ssoProviders)
        .meta({ description: "all of them, unless `limit` is lower: an organization has at most as many" }),
      handle: async ({ actor, params }) =>
        presentProviders(app, await listProviders(app, actor, params.tenant)),
    }),
    route({
      method: "get",
      path: `${base}/:id`,
      id: "getSsoProvider",
      summary: "Read an identity provider",
      params: ProviderParams,
      data: SsoProviderPayload,
      async handle({ actor, params }) {
        const loaded = await loadProvider(app, actor, params.tenant, params.id);
        return (await presentProviders(app, [loaded]))[0];
      },
    }),
  ];
}

function consequencesRoute(app: App): Route {
  return route({
    method: "get",
    path: `${base}/:id/consequences`,
    id: "getSsoConsequences",
    summary: "Read who would lose access if the provider were enforced, and who keeps it",
    params: ProviderParams,
    data: SsoConsequencesPayload,
    handle: ({ actor, params }) => readConsequences(app, actor, params.tenant, params.id),
  });
}

function changeRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: base,
      id: "createSsoProvider",
      failures: ["already_exists", "limit_reached", "refused"],
      summary: "Add an identity provider",
      params: TenantParams,
      body: CreateSsoProvider,
      status: 201,
      data: SsoProviderPayload,
      budget: "sso",
      async handle({ actor, params, body }) {
        const created = await createProvider(app, actor, params.tenant, body);
        return (await presentProviders(app, [created]))[0];
      },
      authorizeRepeat: ({ actor, params }, { id }: SsoProviderPayload) =>
        loadProvider(app, actor, params.tenant, id),
    }),
    route({
      method: "patch",
      path: `${base}/:id`,
      id: "updateSsoProvider",
      failures: ["already_exists", "conflict", "domain_unverified", "refused"],
      summary: "Change an identity provider; enabled and enforced decide who signs in through it",
      params: ProviderParams,
      body: UpdateSsoProvider,
      data: SsoProviderPayload,
      budget: "sso",
      async handle({ actor, params, body }) {
        const updated = await updateProvider(app, actor, params.tenant, params.id, body);
        return (await presentProviders(app, [updated]))[0];
      },
    }),
    route({
      method: "delete",
      path: `${base}/:id`,
      id: "deleteSsoProvider",
      failures: ["domain_unverified", "refused"],
      summary: "Delete an identity provider; accounts and memberships stay",
      params: ProviderParams,
      data: null,
      handle: ({ actor, params }) => deleteProvider(app, actor, params.tenant, params.id),
    }),
  ];
}

function encryptionRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: `${base}/:id/encryption-keys`,
      id: "addSsoKey",
      failures: ["already_exists", "limit_reached", "refused"],
      summary: "Add a key for encrypted assertions to the metadata; the previous one still decrypts",
      params: ProviderParams,
      status: 201,
      data: SsoProviderPayload,
      budget: "sso",
      async handle({ actor, params }) {
        const changed = await addEncryptionKey(app, actor, params.tenant, params.id);
        return (await presentProviders(app, [changed]))[0];
      },
      authorizeRepeat: ({ actor, params }) => loadProvider(app, actor, params.tenant, params.id),
    }),
    route({
      method: "delete",
      path: `${base}/:id/encryption-keys/:fingerprint`,
      id: "removeSsoKey",
      failures: ["already_exists", "conflict"],
      summary: "Remove a key for encrypted assertions, which no longer decrypts",
      params: EncryptionKeyParams,
      data: SsoProviderPayload,
      async handle({ actor, params }) {
        const changed = await removeEncryptionKey(app, actor, params.tenant, params);
        return (await presentProviders(app, [changed]))[0];
      },
    }),
  ];
}

const mappingList = z
  .array(SsoGroupMapping)
  .max(limits.ssoGroupMappings)
  .meta({ description: "all of them: a provider has at most as many" });

function mappingRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: `${base}/:id/group-mappings`,
      id: "listGroupMappings",
      pageBy: ["group", "teamId"],
      summary: "List the teams of a provider's groups",
      params: ProviderParams,
      data: mappingList,
      handle: ({ actor, params }) => listMappings(app, actor, params.tenant, params.id),
    }),
    route({
      method: "put",
      path: `${base}/:id/group-mappings`,
      id: "setGroupMappings",
      failures: ["already_exists", "conflict"],
      summary: "Replace the teams of a provider's groups",
      params: ProviderParams,
      body: PutGroupMappings,
      data: mappingList,
      handle: ({ actor, params, body }) => putMappings(app, actor, params.tenant, params.id, body),
    }),
  ];
}

function testRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: `${base}/:id/test`,
      id: "startSsoTest",
      failures: ["refused"],
      summary:
        "Prepare a test sign-in, which changes nothing; its address works in the caller's browser, once",
      params: ProviderParams,
      data: SsoTestStartPayload,
      budget: "sso",
      handle: ({ actor, params }) => prepareTest(app, actor, params.tenant, params.id),
    }),
    route({
      method: "get",
      path: `${base}/:id/test/:test`,
      id: "getSsoTest",
      summary: "Read the result of every check of a test sign-in, for ten minutes",
      params: TestParams,
      data: SsoTestPayload,
      handle: ({ actor, params }) => readTest(app, actor, params.tenant, params),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/sso/sign-ins",
      id: "listSsoSignIns",
      summary: "List sign-ins through the providers of an organization, with the reasons of failures",
      params: TenantParams,
      query: SignInsQuery,
      data: SsoSignInPayload,
      page: true,
      handle: ({ actor, params, query }) => listSignIns(app, actor, params.tenant, query),
    }),
  ];
}
