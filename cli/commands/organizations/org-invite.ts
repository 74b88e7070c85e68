import type { CliCode } from "../../../contract/errors.ts";
import type { InvitationPayload } from "../../../contract/payloads/organizations/organizations.ts";
import { builtInRoles } from "../../../contract/vocabulary.ts";
import { openOrganizationCalls, type OrganizationCalls } from "../../api/calls/organization.ts";
import { type Organization, orgFlag } from "../../api/choose-organization.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, toCliError } from "../../errors.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { plainLine } from "../../terminal/table.ts";
import { isAddress, readAddresses } from "./addresses.ts";
import { findRole } from "./find.ts";

export const orgInvite = defineCommand({
  positionals: { address: { multiple: true, description: "E-mail addresses (default: the standard input)" } },
  flags: {
    org: orgFlag,
    role: { value: "required", hint: "role", description: "Built-in or custom role (default: member)" },
    file: {
      value: "required",
      hint: "file|-",
      completes: "path",
      description: "A file with addresses, such as one a line; - reads the standard input",
    },
  },
  examples: [
    "svc org invite ada@example.com bob@example.com --org acme",
    "svc org invite --file people.txt --role viewer",
    "svc org invite --org acme -o json < people.txt",
  ],
  async run(context, args) {
    const addresses = await readAddresses(context, args.address, args.file);
    const { client, organization } = await openOrganization(context, args, "Invite to which organization?");
    const calls = openOrganizationCalls(client.options);
    const { role: given = "member" } = args;
    const isBuiltIn = builtInRoles.some((one) => one === given);
    const role = isBuiltIn ? given : (await findRole(calls, organization, given)).id;
    const rows = await inviteAll(context, calls, { organization, role, addresses });
    return report(context, organization, role, rows);
  },
});

interface Row {
  email: string;
  outcome: "invited" | "alreadyMember" | "failed";
  invitation?: { id: string; url?: string; expiresAt: string; mail: InvitationPayload["mail"] };
  error?: { code: CliCode; message: string };
}

/** Errors about an address itself; any other one would be the same for the next address. */
function isOfAddress({ code, details }: CliError): boolean {
  return code === "E_ALREADY_EXISTS" || details?.httpStatus === 400 || details?.httpStatus === 422;
}

/**
 * Invites one address after the other, since the service limits invitations by sender. Throws an error that is not
 * about an address if no one was invited before it; otherwise, the remaining addresses fail with it.
 */
async function inviteAll(
  context: Context,
  calls: OrganizationCalls,
  { organization, role, addresses }: { organization: Organization; role: string; addresses: string[] },
): Promise<Row[]> {
  const rows: Row[] = [];
  const progress = await context.output.progress(`Inviting ${addresses.length} addresses`);
  try {
    let cause: CliError | undefined;
    for (const email of addresses) {
      try {
        rows.push(
          cause === undefined ? await inviteOne(calls, organization, role, email) : failed(email, cause),
        );
      } catch (error) {
        cause = toCliError(error);
        if (!rows.some(({ outcome }) => outcome === "invited")) throw cause;
        rows.push(failed(email, cause));
      }
      progress.update(rows.length, addresses.length);
    }
  } finally {
    progress.end();
  }
  return rows;
}

/** Throws errors that are not about the address. */
async function inviteOne(
  calls: OrganizationCalls,
  organization: Organization,
  role: string,
  email: string,
): Promise<Row> {
  if (!isAddress(email))
    return failed(email, new CliError("E_INVALID_ARGUMENT", "This is not an e-mail address."));
  try {
    const { id, url, expiresAt, mail } = await calls.invite(organization.id, { email, role });
    const invitation = { id, url, expiresAt, mail };
    return { email, outcome: "invited", invitation };
  } catch (error) {
    if (!(error instanceof CliError) || !isOfAddress(error)) throw error;
    if (error.code === "E_ALREADY_EXISTS" && error.details?.kind === "member")
      return { email, outcome: "alreadyMember" };
    return failed(email, error);
  }
}

function failed(email: string, { code, message }: CliError): Row {
  return { email, outcome: "failed", error: { code, message } };
}

function report(
  context: Context,
  organization: Organization,
  role: string,
  rows: readonly Row[],
): CommandResult {
  const { paint } = context.output;
  const count = (outcome: Row["outcome"]) => rows.filter((row) => row.outcome === outcome).length;
  const summary = {
    invited: count("invited"),
    alreadyMember: count("alreadyMember"),
    failed: count("failed"),
  };
  const lines = rows.map(({ email, outcome, invitation, error }) => {
    const name = paint("bold", plainLine(email));
    if (outcome === "alreadyMember") return `${name}  already a member`;
    if (error !== undefined) return `${name}  ${paint("red", "failed")}: ${plainLine(error.message)}`;
    const link = invitation?.url === undefined ? "" : `  ${plainLine(invitation.url)}`;
    const problem = invitation?.mail === "failed" ? " (the mail server refuses the address)" : "";
    return `${name}  ${paint("green", "invited")}${problem}${link}`;
  });
  const parts = [
    `${summary.invited} invited to ${organization.slug}`,
    ...(summary.alreadyMember > 0 ? [`${summary.alreadyMember} already a member`] : []),
    ...(summary.failed > 0 ? [`${summary.failed} failed`] : []),
  ];
  return {
    data: { organization, role, invitations: rows, summary },
    text: [...lines, "", `${parts.join(", ")}.`].join("\n"),
    partial: summary.failed > 0,
  };
}
