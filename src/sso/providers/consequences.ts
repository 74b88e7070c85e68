/** The effect that the enforcement of a provider would have, for the owner who decides about it. */
import type { SsoConsequencesPayload } from "../../../contract/payloads/accounts/sso.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { loadProvider } from "./load.ts";

const slice = 500;
/** Number of people whose names are listed. */
const named = 20;

/**
 * Members other than owners have to sign in through the provider, for which they need an address in a verified domain.
 */
export async function readConsequences(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
): Promise<SsoConsequencesPayload> {
  const { tenant, provider } = await loadProvider(app, actor, tenantRef, id);
  const { memberships, users, ssoDomains, ssoIdentities } = app.storage;
  const [claims, signedIn, owners] = await Promise.all([
    ssoDomains.list(tenant._id),
    ssoIdentities.count(provider._id),
    users.listByIds(tenant.ownerIds),
  ]);
  const domains = new Set(claims.filter(({ verified }) => verified).map(({ domain }) => domain));
  const ownerIds = new Set(tenant.ownerIds);
  let members = 0;
  const outside = { count: 0, examples: [] as { username: string; email: string }[] };
  for (let after = ""; ;) {
    const rows = await memberships.listAfter(tenant._id, after, slice);
    const accounts = await users.listByIds(rows.map(({ userId }) => userId));
    for (const { _id, username, email } of accounts) {
      if (ownerIds.has(_id)) continue;
      members++;
      if (domains.has(email.slice(email.lastIndexOf("@") + 1).toLowerCase())) continue;
      outside.count++;
      if (outside.examples.length < named) outside.examples.push({ username, email });
    }
    if (rows.length < slice) break;
    after = rows.at(-1)!.userId;
  }
  return {
    members,
    signedIn,
    outside,
    owners: owners.map(({ username, hasFactor }) => ({ username, hasFactor: hasFactor === true })),
  };
}
