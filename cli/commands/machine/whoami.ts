import type { IdentityPayload } from "../../../contract/payloads/accounts/accounts.ts";
import type { CurrentTokenPayload } from "../../../contract/payloads/accounts/tokens.ts";
import type { TenantPayload } from "../../../contract/payloads/organizations/organizations.ts";
import type { Client } from "../../api/client.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { scopesText } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const whoami = defineCommand({
  positionals: {},
  flags: {},
  examples: ["svc whoami", "svc whoami -o json"],
  async run(context) {
    const { client } = await openSession(context);
    if (client.options.token?.startsWith("lskt_") === true)
      return presentOrganization(context, await client.tenants(), await findToken(client));
    const identity = presentIdentity(await client.profile());
    const orgs = identity.memberships.map((membership) => membership.slug).join(", ");
    const lines = [
      `${context.output.paint("bold", identity.name)} (${identity.username})`,
      identity.email,
      ...(orgs === "" ? [] : [`organizations: ${orgs}`]),
      ...identity.pendingInvitations.map((invitation) => `invited to: ${invitation.organizationName}`),
    ];
    return { data: identity, text: lines.join("\n") };
  },
});

/** The token of the call; undefined if an earlier version of the service does not report it. */
async function findToken(client: Client): Promise<CurrentTokenPayload | undefined> {
  try {
    return await client.currentToken();
  } catch (error) {
    const status = error instanceof CliError ? error.details?.httpStatus : undefined;
    if (status === 404 || status === 405) return undefined;
    throw error;
  }
}

/** The organization of a token that is no person's. */
function presentOrganization(
  { output }: Context,
  tenants: readonly TenantPayload[],
  token: CurrentTokenPayload | undefined,
): CommandResult {
  const memberships = tenants.map(({ id, slug, name }) => ({ tenantId: id, slug, name }));
  const [organization] = memberships;
  if (organization === undefined)
    throw new CliError("E_API", "The service names no organization for this token.");
  const { name, scopes, expiresAt } = token ?? {};
  return {
    data: {
      organization,
      memberships,
      pendingInvitations: [],
      token: token && { name, scopes: scopes ?? null, expiresAt },
    },
    text: [
      `${output.paint("bold", plainLine(organization.name))} (${organization.slug}): a token of the organization`,
      ...(name === undefined
        ? []
        : [`token: ${plainLine(name)}`, `scopes: ${plainLine(scopesText(scopes))}`]),
    ].join("\n"),
  };
}

/** The user, as in JSON output. */
export function presentIdentity(identity: IdentityPayload) {
  const { username, name, email, memberships, pendingInvitations } = identity;
  return {
    username,
    name,
    email,
    memberships: memberships ?? [],
    pendingInvitations: pendingInvitations ?? [],
  };
}
