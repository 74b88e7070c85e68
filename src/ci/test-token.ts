/** The test of an identity token: the checks of an exchange with their results, which uses up and grants nothing. */
import type { OidcTestPayload } from "../../contract/payloads/accounts/ci.ts";
import type { CiProvider } from "../../contract/vocabulary.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { loadTenant } from "../orgs/service.ts";
import { useId, usedBefore } from "./exchange.ts";
import { checkIdentityToken } from "./identity-token.ts";
import { checkPolicy, hasPassed } from "./match-policy.ts";
import { definitionName, isIn } from "./pipeline-definition.ts";
import { readRun, type PipelineRun } from "./pipeline-run.ts";

/** Throws `unavailable` if the issuer's keys can't be read. */
export async function testToken(
  app: App,
  actor: Actor,
  tenantRef: string,
  text: string,
): Promise<OidcTestPayload> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "oidc:manage");
  const { checks, token } = await checkIdentityToken(app, text);
  if (!token) return { accepted: false, checks, policies: [] };
  // The id of a token that was not verified says nothing about the use of another one.
  const isUsed = hasPassed(checks) && (await app.storage.signatureNonces.has(useId(token)));
  const shown = isUsed ? [...checks.filter(({ claim }) => claim !== "jti"), usedBefore] : checks;
  const run = readRun(token);
  if (Array.isArray(run)) return { accepted: false, checks: [...shown, ...run], policies: [] };
  const policies = (await app.storage.oidcPolicies.list(tenantId)).map((policy) => {
    const results = checkPolicy(policy, run);
    return { id: policy._id, name: policy.name, matches: hasPassed(results), checks: results };
  });
  const isSigned = checks.some(({ claim, passed }) => claim === "signature" && passed);
  const accepted = hasPassed(shown) && policies.some(({ matches }) => matches);
  return {
    accepted,
    run: isSigned ? presentRun(token.issuer.provider, run) : undefined,
    checks: shown,
    policies,
  };
}

/** The terms by which a policy trusts this run and no other one of its repository. */
function presentRun(provider: CiProvider, run: PipelineRun): OidcTestPayload["run"] {
  const { issuer, repository, ref, event, definitions } = run;
  const definition = definitions.find((one) => one.file !== "" && !isIn(one, repository)) ?? definitions[0];
  const workflow = definition?.file ? definitionName(provider, definition, repository) : undefined;
  return { provider, issuer, repository, ref, event, workflow };
}
