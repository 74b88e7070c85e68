/** The values and the address that a user approves by connecting. */
import type { PublicConnector } from "../../../storage/connectors/connectors.ts";
import type { App } from "../../app.ts";
import { invalidRequest, ServiceError } from "../../errors.ts";
import { revokeAll } from "../oauth/revoke.ts";
import type { ConnectConnector } from "../schema.ts";
import {
  addressOf,
  placeOf,
  targetOf,
  valueProblem,
  valuesFor,
  type SuppliedValues,
} from "../upstream/target.ts";
import type { UsableConnector } from "../usable.ts";
import { readSecret, withSecrets } from "../vault.ts";

/**
 * Stores the values and the address that the user approves by connecting. Values, tokens and the client of a previous
 * address are forgotten, so that none is sent to the new one; with other values in the same address, the tokens are.
 */
export async function approve(
  app: App,
  { connector, server }: UsableConnector,
  { variables: supplied = {}, reauthorize = false }: ConnectConnector,
): Promise<PublicConnector> {
  const { connectors } = app.storage;
  const stored = await connectors.withSecrets(connector._id);
  if (!stored) throw concurrent();
  const address = addressOf(server.config);
  const isSame = stored.approvedAddress === address;
  const previous = isSame ? (readSecret<SuppliedValues>(app, stored, "variables") ?? {}) : {};
  const variables = checkValues(server.config, previous, supplied);
  const keepsTokens =
    isSame && !reauthorize && placeOf(server.config, previous) === placeOf(server.config, variables);
  const vault = withSecrets(app, stored, {
    variables,
    flow: null,
    client: isSame ? undefined : null,
    tokens: keepsTokens ? undefined : null,
  });
  const patch = {
    vault,
    supplied: Object.keys(variables),
    approvedAddress: address,
    credentialsRevision: stored.credentialsRevision + 1,
    status: stored.status === "pending" ? "pending" : "needs_auth",
    flow: null,
    issuer: keepsTokens ? undefined : null,
  } as const;
  if (!(await connectors.change(stored._id, { revision: stored.revision, patch, now: app.now() })))
    throw concurrent();
  // Finished before others are given: some servers revoke all that the user has given to a client.
  if (vault.fields.tokens === undefined && stored.vault?.fields.tokens !== undefined)
    await revokeAll(app, [stored]);
  const saved = await connectors.find(stored._id);
  if (!saved) throw concurrent();
  return saved;
}

function concurrent(): ServiceError {
  return new ServiceError("conflict", "The connector was changed concurrently: try again.", {
    kind: "connector",
  });
}

/** All values: those supplied now, else those stored. An empty one removes a value. */
function checkValues(
  config: UsableConnector["server"]["config"],
  previous: SuppliedValues,
  supplied: SuppliedValues,
): Record<string, string> {
  const specs = valuesFor(config);
  const issues = Object.keys(supplied)
    .filter((name) => !specs.some((spec) => spec.name === name))
    .map((name) => ({ path: `variables.${name.slice(0, 50)}`, message: "The server has no such value" }));
  const values: Record<string, string> = {};
  for (const spec of specs) {
    const own = (from: SuppliedValues) => (Object.hasOwn(from, spec.name) ? from[spec.name]! : undefined);
    const value = own(supplied) ?? own(previous) ?? "";
    const problem = value === "" ? spec.required && `"${spec.label}" is required` : valueProblem(spec, value);
    if (problem) issues.push({ path: `variables.${spec.name}`, message: problem });
    if (value !== "") values[spec.name] = value;
  }
  if (issues.length === 0 && targetOf(config, values) === "values_missing")
    issues.push({ path: "variables", message: "The address of the server can't be made from these values" });
  if (issues.length > 0) throw invalidRequest(`${issues[0]!.message}.`, { kind: "connector", issues });
  return values;
}
