import { limits } from "../../../contract/limits.ts";
import { openOrganizationCalls } from "../../api/calls/organization.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { askYes, requireInteraction } from "../../terminal/prompts.ts";
import { plainLine } from "../../terminal/table.ts";
import { findMember } from "./find.ts";
import { membersTable, presentMembers } from "./present-member.ts";

export const orgMembers = defineCommand({
  positionals: {},
  flags: {
    org: orgFlag,
    query: {
      value: "required",
      hint: "text",
      max: limits.searchQuery,
      description: "Only those whose user name, or a word of whose name, begins so",
    },
  },
  examples: ["svc org members", "svc org members --org acme --query ada", "svc org members -o json"],
  async run(context, args) {
    const { client, organization } = await openOrganization(context, args, "Members of which organization?");
    const calls = openOrganizationCalls(client.options);
    const found = await calls.members(organization.id, args.query);
    const members = await presentMembers(calls, organization, found);
    return {
      data: members,
      text: members.length === 0 ? "No members match." : membersTable(context, members),
    };
  },
});

export const orgRemove = defineCommand({
  positionals: { user: { required: true, description: "User name, id or e-mail address" } },
  flags: { org: orgFlag, force: { value: "none", description: "Don't ask for confirmation" } },
  examples: ["svc org remove ada --org acme", "svc org remove ada --org acme --force -o json"],
  async run(context, args) {
    if (!args.force)
      requireInteraction(
        context,
        "--force",
        "Removing a member asks for confirmation at a terminal. Without a terminal, add --force.",
      );
    const { client, organization } = await openOrganization(context, args, "Remove from which organization?");
    const calls = openOrganizationCalls(client.options);
    const { userId, username, name } = await findMember(calls, organization, args.user);
    const who = `${plainLine(username)} (${plainLine(name)})`;
    if (!args.force)
      await askYes(
        `Remove ${who} from ${organization.slug}? They lose their access, teams and folder grants at once.`,
      );
    await calls.removeMember(organization.id, userId);
    return {
      data: { organization, member: { userId, username }, removed: true },
      text: `Removed ${who} from ${organization.slug}.`,
    };
  },
});
