/** Trust policies of an organization for CI pipelines. */
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { query } from "../query.ts";

export type Policy = Schemas["OidcPolicy"];
export type Issuer = Schemas["OidcIssuer"];
export type TokenTest = Schemas["OidcTest"];
export type TokenCheck = Schemas["OidcCheck"];

export const policiesQuery = (org: string) => query("/api/tenants/{tenant}/oidc-policies", { tenant: org });

export const issuersQuery = (org: string) => query("/api/tenants/{tenant}/oidc-issuers", { tenant: org });

/** Skills that a policy can be limited to, by their names. */
export const skillChoiceQuery = (org: string, text: string) =>
  query("/api/skills", { tenant_id: org, limit: 50, query: text });

/** Terms and limits of a policy; null removes a limit of an existing one. */
export interface PolicyTerms {
  name: string;
  repository: string;
  ref: string;
  environment: string | null;
  /** Null for the default ones of the provider. */
  events: string[] | null;
  workflow: string | null;
  protectedRef: boolean;
  scopes: Record<string, string[]> | null;
  allowedFolderIds: string[] | null;
  skillIds: string[] | null;
}

/** Creation takes no null. */
export const createPolicy = (
  tenant: string,
  {
    environment,
    events,
    workflow,
    scopes,
    allowedFolderIds,
    skillIds,
    ...terms
  }: PolicyTerms & Pick<Issuer, "provider" | "issuer">,
) =>
  dataOf(
    api.POST("/api/tenants/{tenant}/oidc-policies", {
      params: { path: { tenant } },
      body: {
        ...terms,
        environment: environment ?? undefined,
        events: events ?? undefined,
        workflow: workflow ?? undefined,
        scopes: scopes ?? undefined,
        allowedFolderIds: allowedFolderIds ?? undefined,
        skillIds: skillIds ?? undefined,
      },
    }),
  );

export const updatePolicy = (tenant: string, id: string, body: object) =>
  dataOf(
    api.PATCH("/api/tenants/{tenant}/oidc-policies/{id}", {
      params: { path: { tenant, id } },
      body,
    }),
  );

export const deletePolicy = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/oidc-policies/{id}", { params: { path: { tenant, id } } }));

export const testToken = (tenant: string, token: string) =>
  dataOf(
    api.POST("/api/tenants/{tenant}/oidc-policies/test", { params: { path: { tenant } }, body: { token } }),
  );
