import { limits } from "../../../contract/limits.ts";
import type { RolePayload } from "../../../contract/payloads/organizations/organizations.ts";
import { openOrganizationCalls } from "../../api/calls/organization.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { askYes, requireInteraction } from "../../terminal/prompts.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";
import { findRole, findTeam } from "./find.ts";
import { named, nameOf } from "./present-member.ts";

const team = { required: true, description: "Name or id of the team" } as const;

export const teamList = defineCommand({
  positionals: {},
  flags: { org: orgFlag },
  examples: ["svc team list", "svc team list --org acme -o json"],
  async run(context, args) {
    const { client, organization } = await openOrganization(context, args, "Teams of which organization?");
    const calls = openOrganizationCalls(client.options);
    const [found, roles] = await Promise.all([calls.teams(organization.id), calls.roles(organization.id)]);
    const teams = found.map(({ id, name, roles: carried, createdAt }) => ({
      id,
      name,
      roles: carried.map((role) => named(role, roles)),
      createdAt,
    }));
    const { columns, paint } = context.output;
    return {
      data: teams,
      text:
        teams.length === 0
          ? `${organization.slug} has no teams. Create one with svc team create.`
          : renderTable(
              ["ID", "ROLES", "NAME"],
              teams.map(({ id, roles: carried, name }) => [
                id,
                carried.length === 0 ? "-" : carried.map(nameOf).join(", "),
                name,
              ]),
              { columns, paintHead: (text) => paint("bold", text) },
            ),
    };
  },
});

export const teamCreate = defineCommand({
  positionals: {
    name: { required: true, form: "line", max: limits.teamName, description: "Name of the team" },
  },
  flags: {
    org: orgFlag,
    role: {
      value: "required",
      hint: "role",
      multiple: true,
      description: "A role that its members have in addition to their own; repeatable",
    },
  },
  examples: ["svc team create platform", "svc team create reviewers --role member --org acme -o json"],
  async run(context, args) {
    const { client, organization } = await openOrganization(context, args, "In which organization?");
    const calls = openOrganizationCalls(client.options);
    const roles: RolePayload[] = [];
    for (const role of args.role) roles.push(await findRole(calls, organization, role));
    const made = await calls.createTeam(organization.id, {
      name: args.name,
      roles: roles.map(({ id }) => id),
    });
    return {
      data: {
        organization,
        team: { id: made.id, name: made.name, roles: made.roles.map((role) => named(role, roles)) },
        created: true,
      },
      text:
        `Created team ${context.output.paint("bold", plainLine(made.name))} in ${organization.slug}. ` +
        "Add people with svc team add.",
    };
  },
});

export const teamDelete = defineCommand({
  positionals: { team },
  flags: { org: orgFlag, force: { value: "none", description: "Don't ask for confirmation" } },
  examples: ["svc team delete platform", "svc team delete platform --org acme --force -o json"],
  async run(context, args) {
    if (!args.force)
      requireInteraction(
        context,
        "--force",
        "Deleting a team asks for confirmation at a terminal. Without a terminal, add --force.",
      );
    const { client, organization } = await openOrganization(context, args, "A team of which organization?");
    const calls = openOrganizationCalls(client.options);
    const { id, name } = await findTeam(calls, organization, args.team);
    if (!args.force)
      await askYes(
        `Delete team ${plainLine(name)} of ${organization.slug}? Its members lose its roles and folder grants.`,
      );
    await calls.deleteTeam(organization.id, id);
    return {
      data: { organization, team: { id, name }, deleted: true },
      text: `Deleted team ${plainLine(name)} of ${organization.slug}.`,
    };
  },
});
