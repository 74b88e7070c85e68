/**
 * The exchange of identity tokens for API tokens. A token that is not valid is reported with its problem, which depends
 * on the token only. Whether an organization exists, and what it trusts, is not revealed: every refusal of a valid
 * token is the same.
 */
import { createHash } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { OidcCheck } from "../../contract/payloads/accounts/ci.ts";
import type { OidcPolicyDoc } from "../../storage/ci/oidc-policies.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { mintCiToken, type MintedToken } from "../tokens/mint.ts";
import { organizationActor } from "../users/load.ts";
import { checkIdentityToken, type IdentityToken } from "./identity-token.ts";
import { gitHubServer } from "./issuers.ts";
import { bySpecificity, checkPolicy, hasPassed, idsFor } from "./match-policy.ts";
import { readRun, type PipelineRun } from "./pipeline-run.ts";
import type { ExchangeToken } from "./schema.ts";

const noTenant = "0".repeat(24);
/** Time after its expiry for which a token could still be accepted, with a margin. */
const graceMs = 5 * 60_000;
const nameLength = limits.tokenName;

/** Throws `invalid_credentials` for a bad token, `oidc_rejected` if no policy trusts it, or `unavailable`. */
export async function exchangeToken(app: App, origin: Origin, input: ExchangeToken): Promise<MintedToken> {
  const { checks, token } = await checkIdentityToken(app, input.token);
  const failed = checks.find((check) => !check.passed);
  if (failed || !token) throw invalidToken(failed);
  const run = readRun(token);
  if (Array.isArray(run)) throw invalidToken(run[0]);
  await claimUse(app, token);
  for (;;) {
    const { tenant, policies } = await findPolicies(app, input.team);
    const [policy] = policies.filter((one) => hasPassed(checkPolicy(one, run))).sort(bySpecificity);
    if (!tenant || !policy) throw untrusted(input.team);
    // Otherwise, it was changed concurrently: each round is one such change.
    const isNoted = await app.storage.oidcPolicies.noteExchange(
      policy,
      idsFor(policy, run),
      run.origin,
      app.now(),
    );
    if (isNoted) return mint(app, origin, { tenant, policy, run });
  }
}

function invalidToken(check: OidcCheck | undefined): ServiceError {
  const message = check?.message ?? "The identity token is not valid: request a new one.";
  return new ServiceError("invalid_credentials", message, { kind: "token", claim: check?.claim });
}

function untrusted(team: string): ServiceError {
  return new ServiceError(
    "oidc_rejected",
    `No trust policy of an organization "${team}" accepts this token. ` +
      "Its administrators can test a token there, and see what differs.",
    { kind: "organization", ref: team },
  );
}

/** Id of the single use of a token. */
export function useId({ issuer, claims }: IdentityToken): string {
  const hash = createHash("sha256").update(`${issuer.issuer}\n${claims.jti ?? ""}`);
  return `oidc ${hash.digest("hex")}`;
}

/** Throws `invalid_credentials` if the token was used before. */
async function claimUse(app: App, token: IdentityToken): Promise<void> {
  const expiresAt = new Date((token.claims.exp ?? 0) * 1000 + graceMs);
  if (await app.storage.signatureNonces.claim(useId(token), expiresAt)) return;
  throw invalidToken(usedBefore);
}

export const usedBefore: OidcCheck = {
  claim: "jti",
  passed: false,
  message: "The identity token was used before, and is valid once. Request a new one.",
};

/** The organization and its policies. For an unknown one, the same queries take the same time. */
async function findPolicies(
  app: App,
  team: string,
): Promise<{ tenant: TenantDoc | undefined; policies: OidcPolicyDoc[] }> {
  const found = await app.storage.tenants.findBySlug(team);
  const tenant = found && !found.deletionAt && !found.erasing ? found : undefined;
  return { tenant, policies: await app.storage.oidcPolicies.list(tenant?._id ?? noTenant) };
}

async function mint(
  app: App,
  origin: Origin,
  { tenant, policy, run }: { tenant: TenantDoc; policy: OidcPolicyDoc; run: PipelineRun },
): Promise<MintedToken> {
  const createdAt = app.now();
  const token = {
    _id: app.newId(),
    tenantId: tenant._id,
    name: `CI of ${run.repository}`.slice(0, nameLength),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + limits.ciTokenMs),
    scopes: policy.scopes ?? undefined,
    allowedFolderIds: policy.allowedFolderIds ?? undefined,
    skillIds: policy.skillIds ?? undefined,
    policyId: policy._id,
    policyEpoch: policy.epoch,
    run: run.origin,
    trust: {
      provider: policy.provider,
      issuer: run.issuer,
      server: policy.provider === "github" ? gitHubServer(run.issuer) : run.issuer,
      policyId: policy._id,
    },
  };
  const actor = organizationActor(tenant, token, {}, { ...origin, source: "oidc" });
  const event = makeEvent(app, actor, "oidc.token_exchanged", {
    tenantId: tenant._id,
    resourceType: "policy",
    resourceId: policy._id,
    metadata: {
      name: policy.name,
      ...run.origin,
      environment: run.environment,
      event: run.event,
      runId: run.runId,
      tokenId: token._id,
      expiresAt: token.expiresAt,
    },
  });
  return mintCiToken(app, token, [event]);
}
