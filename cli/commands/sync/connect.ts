import { openSyncCalls } from "../../api/calls/sync.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { plainLine } from "../../terminal/table.ts";
import { connectionLines } from "./connection-text.ts";
import { presentConnection } from "./present.ts";
import { readRepositoryInput, repositoryDescription, repositoryFlags } from "./repository-input.ts";

export const syncConnect = defineCommand({
  positionals: { repository: { required: true, description: repositoryDescription } },
  flags: { org: orgFlag, ...repositoryFlags },
  examples: [
    "svc sync connect acme/skills --org acme",
    "svc sync connect acme/skills --branch main --mode pull_request --token-stdin < token.txt",
    "svc sync connect https://git.example.com/skills.git --username bot -o json",
  ],
  async run(context, args) {
    const { client, organization } = await openOrganization(context, args, "Connect which organization?");
    const calls = openSyncCalls(client.options, organization.id);
    const input = await readRepositoryInput(context, calls, args.repository, args);
    const connection = presentConnection(await calls.connect(input));
    const { paint } = context.output;
    return {
      data: { organization, connection },
      text: [
        `Connected ${paint("bold", plainLine(organization.slug))}, and requested the first sync.`,
        ...connectionLines(context, connection),
        "Follow it with svc sync status.",
      ].join("\n"),
    };
  },
});
