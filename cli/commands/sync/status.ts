import { countText } from "../../../contract/text/count-text.ts";
import { openSyncCalls } from "../../api/calls/sync.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { plainLine } from "../../terminal/table.ts";
import { connectionLines } from "./connection-text.ts";
import { presentConnection, presentProposal, presentSkillProblem } from "./present.ts";

export const syncStatus = defineCommand({
  positionals: {},
  flags: { org: orgFlag },
  examples: ["svc sync", "svc sync status --org acme", "svc sync status -o json"],
  async run(context, args) {
    const { client, organization } = await openOrganization(context, args, "The sync of which organization?");
    const state = await openSyncCalls(client.options, organization.id).state();
    const { connection, proposal, syncedSkills, hosts } = state;
    const skillProblems = state.skillProblems.map(presentSkillProblem);
    const data = {
      organization,
      connected: connection !== null,
      connection: connection ? presentConnection(connection) : undefined,
      proposal: proposal ? presentProposal(proposal) : undefined,
      syncedSkills,
      skillProblems,
      hosts,
    };
    if (data.connection === undefined)
      return {
        data,
        text: `No repository is connected to ${plainLine(organization.slug)}. Connect one with svc sync connect.`,
      };
    const { paint } = context.output;
    const lines = [
      ...connectionLines(context, data.connection),
      `Skills:      ${syncedSkills} in sync`,
      ...(data.proposal === undefined ? [] : ["", plainLine(data.proposal.message)]),
      ...(data.proposal?.url === undefined ? [] : [plainLine(data.proposal.url)]),
    ];
    if (skillProblems.length > 0)
      lines.push(
        "",
        paint("bold", `${countText(skillProblems.length, "directory", "directories")} not in sync`),
      );
    for (const { path, message } of skillProblems)
      lines.push(`  ${paint("yellow", plainLine(path))}  ${plainLine(message)}`);
    return { data, text: lines.join("\n") };
  },
});
