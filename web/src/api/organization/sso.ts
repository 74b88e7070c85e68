/** Identity providers of an organization, their tests and group mappings, and the log of sign-ins. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { pages, query } from "../query.ts";

export type SsoProvider = Schemas["SsoProvider"];
export type SsoTest = Schemas["SsoTest"];
export type SsoSignIn = Schemas["SsoSignIn"];
export type SsoConsequences = Schemas["SsoConsequences"];
export type GroupMapping = Schemas["SsoGroupMapping"];

const logPage = 50;
/** Time between two reads of a test that has not ended. */
const testMs = 1500;
const at = (tenant: string, id: string) => ({ params: { path: { tenant, id } } });

/** The settings of a connection, as the API takes them. */
export type SamlSettings =
  | { metadataUrl: string }
  | { metadataXml: string }
  | { entityId: string; ssoUrl: string; certificates: string[] };

export interface ProviderFields {
  name?: string;
  enabled?: boolean;
  enforced?: boolean;
  jit?: { enabled: boolean; role: string };
  groupsAttribute?: string | null;
  absentGroups?: SsoProvider["absentGroups"];
  saml?: SamlSettings;
  oidc?: { issuer?: string; clientId?: string; clientSecret?: string };
}

export const providersQuery = (org: string) => query("/api/tenants/{tenant}/sso/providers", { tenant: org });

/** Whether the connection to the identity provider was entered. */
export const isConnected = ({ saml, oidc }: SsoProvider) => saml !== undefined || oidc !== undefined;

/** The connection follows, since the identity provider needs the addresses of the new provider first. */
export const createProvider = (tenant: string, body: { name: string; type: SsoProvider["type"] }) =>
  dataOf(api.POST("/api/tenants/{tenant}/sso/providers", { params: { path: { tenant } }, body }));

export const updateProvider = (tenant: string, id: string, body: ProviderFields) =>
  dataOf(api.PATCH("/api/tenants/{tenant}/sso/providers/{id}", { ...at(tenant, id), body }));

export const deleteProvider = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/sso/providers/{id}", at(tenant, id)));

export const addEncryptionKey = (tenant: string, id: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/sso/providers/{id}/encryption-keys", at(tenant, id)));

export const removeEncryptionKey = (tenant: string, id: string, fingerprint: string) =>
  dataOf(
    api.DELETE("/api/tenants/{tenant}/sso/providers/{id}/encryption-keys/{fingerprint}", {
      params: { path: { tenant, id, fingerprint } },
    }),
  );

export const consequencesQuery = (org: string, id: string) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/sso/providers/{id}/consequences", { tenant: org, id }),
    staleTime: 0,
  });

export const mappingsQuery = (org: string, id: string) =>
  query("/api/tenants/{tenant}/sso/providers/{id}/group-mappings", { tenant: org, id });

export const putMappings = (tenant: string, id: string, mappings: { group: string; teamId: string }[]) =>
  dataOf(
    api.PUT("/api/tenants/{tenant}/sso/providers/{id}/group-mappings", {
      ...at(tenant, id),
      body: { mappings },
    }),
  );

export const startTest = (tenant: string, id: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/sso/providers/{id}/test", at(tenant, id)));

export const testQuery = (org: string, id: string, test: string | undefined) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/sso/providers/{id}/test/{test}", { tenant: org, id, test: test ?? "" }),
    enabled: test !== undefined,
    refetchInterval: ({ state: { data, error } }) =>
      error === null && (data === undefined || data.state === "pending") ? testMs : false,
    // The sign-in is in another tab.
    refetchIntervalInBackground: true,
  });

export interface SignInFilter {
  provider?: string;
  number?: string;
}

export const signInsQuery = (org: string, filter: SignInFilter) =>
  infiniteQueryOptions({
    ...pages("/api/tenants/{tenant}/sso/sign-ins", { tenant: org, limit: logPage, ...filter }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
