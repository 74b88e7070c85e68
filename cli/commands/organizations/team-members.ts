import { openOrganizationCalls } from "../../api/calls/organization.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { askYes, requireInteraction } from "../../terminal/prompts.ts";
import { plainLine } from "../../terminal/table.ts";
import { findMember, findTeam } from "./find.ts";
import { membersTable, presentMembers } from "./present-member.ts";

const team = { required: true, description: "Name or id of the team" } as const;
const user = { required: true, description: "User name, id or e-mail address of a member" } as const;

export const teamMembers = defineCommand({
  positionals: { team },
  flags: { org: orgFlag },
  examples: ["svc team members platform", "svc team members platform --org acme -o json"],
  async run(context, args) {
    const { client, organization } = await openOrganization(context, args, "A team of which organization?");
    const calls = openOrganizationCalls(client.options);
    const { id, name } = await findTeam(calls, organization, args.team);
    const members = await presentMembers(calls, organization, await calls.teamMembers(organization.id, id));
    return {
      data: members,
      text:
        members.length === 0
          ? `Team ${plainLine(name)} has no members. Add people with svc team add.`
          : membersTable(context, members),
    };
  },
});

export const teamAdd = defineCommand({
  positionals: { team, user },
  flags: { org: orgFlag },
  examples: ["svc team add platform ada", "svc team add platform ada@example.com --org acme -o json"],
  async run(context, args) {
    const { client, organization } = await openOrganization(context, args, "A team of which organization?");
    const calls = openOrganizationCalls(client.options);
    const { id, name } = await findTeam(calls, organization, args.team);
    const { userId, username, teamIds } = await findMember(calls, organization, args.user);
    const added = !teamIds.includes(id);
    if (added) await calls.changeTeamMember("PUT", organization.id, id, userId);
    return {
      data: { organization, team: { id, name }, member: { userId, username }, added },
      text: added
        ? `Added ${plainLine(username)} to team ${plainLine(name)}.`
        : `${plainLine(username)} is in team ${plainLine(name)} already.`,
    };
  },
});

export const teamRemove = defineCommand({
  positionals: { team, user },
  flags: { org: orgFlag, force: { value: "none", description: "Don't ask for confirmation" } },
  examples: ["svc team remove platform ada", "svc team remove platform ada --org acme --force -o json"],
  async run(context, args) {
    if (!args.force)
      requireInteraction(
        context,
        "--force",
        "Removing a member from a team asks for confirmation at a terminal. Without a terminal, add --force.",
      );
    const { client, organization } = await openOrganization(context, args, "A team of which organization?");
    const calls = openOrganizationCalls(client.options);
    const { id, name } = await findTeam(calls, organization, args.team);
    const { userId, username } = await findMember(calls, organization, args.user);
    if (!args.force)
      await askYes(
        `Remove ${plainLine(username)} from team ${plainLine(name)}? They lose the roles and folder grants ` +
          "of the team.",
      );
    await calls.changeTeamMember("DELETE", organization.id, id, userId);
    return {
      data: { organization, team: { id, name }, member: { userId, username }, removed: true },
      text: `Removed ${plainLine(username)} from team ${plainLine(name)}.`,
    };
  },
});
