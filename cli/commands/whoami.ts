import type { IdentityPayload } from "../../contract/payloads/accounts.ts";
import { defineCommand } from "../command.ts";
import { openSession } from "../state/session.ts";

export const whoami = defineCommand({
  name: "whoami",
  summary: "Show who you are logged in as",
  positionals: {},
  flags: {},
  examples: ["svc whoami", "svc whoami -o json"],
  async run(context) {
    const { client } = await openSession(context);
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
