import { openSyncCalls } from "../../api/calls/sync.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { describePlan, presentPlan } from "./present-plan.ts";
import { readRepositoryInput, repositoryDescription, repositoryFlags } from "./repository-input.ts";

export const syncPlan = defineCommand({
  positionals: {
    repository: { description: `A repository that is not connected yet: ${repositoryDescription}` },
  },
  flags: { org: orgFlag, ...repositoryFlags },
  examples: [
    "svc sync plan",
    "svc sync plan acme/skills --branch main",
    "svc sync plan https://git.example.com/skills.git -o json",
  ],
  async run(context, args) {
    const given = (["branch", "host", "mode", "username", "token-stdin"] as const).find(
      (name) => args[name] !== undefined && args[name] !== false,
    );
    if (args.repository === undefined && given !== undefined)
      throw invalidArgument(`--${given}`, `--${given} goes with a repository: svc sync plan <repository>.`);
    const { client, organization } = await openOrganization(context, args, "Plan for which organization?");
    const calls = openSyncCalls(client.options, organization.id);
    const plan =
      args.repository === undefined
        ? await calls.plan()
        : await calls.planDraft(await readRepositoryInput(context, calls, args.repository, args));
    const data = { organization, connected: args.repository === undefined, ...presentPlan(plan) };
    return { data, text: describePlan(context, plan) };
  },
});
