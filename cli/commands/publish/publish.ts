import { limits } from "../../../contract/limits.ts";
import { skillTypes, visibilities } from "../../../contract/vocabulary.ts";
import type { Client } from "../../api/client.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { invalidArgument } from "../../errors.ts";
import { allowSecretsFlag } from "../../pack/secrets.ts";
import { dryRunFlag } from "../../present.ts";
import { askForPath, chooseOwn, findOwn } from "../../publish/choose.ts";
import {
  type Chosen,
  type ChosenSource,
  type PublishJob,
  findBelow,
  planOne,
  publishOne,
  readChosen,
} from "../../publish/job.ts";
import { otherLocation, presentDryRun, presentOne } from "../../publish/present.ts";
import { publishAll } from "../../publish/publish-all.ts";
import { parseRequired, refuseRequiredUnlessPrivate } from "../../publish/required-servers.ts";
import { openSession } from "../../state/session.ts";
import { chooseTeam } from "../../team.ts";
import { askYes, requireInteraction } from "../../terminal/prompts.ts";

export const publish = defineCommand({
  positionals: {
    path: {
      description: "A file, a folder with a SKILL.md at its root, or a folder of such folders",
      completes: "path",
    },
  },
  flags: {
    team: {
      short: "t",
      value: "required",
      hint: "id-or-slug",
      form: "organization",
      description: "Organization to publish to",
    },
    name: {
      short: "n",
      value: "required",
      hint: "name",
      form: "line",
      max: limits.skillName,
      description: "Display name",
    },
    visibility: {
      value: "required",
      choices: visibilities,
      hint: visibilities.join("|"),
      description: "Who can see it (default private)",
    },
    type: {
      value: "required",
      choices: skillTypes,
      hint: skillTypes.join("|"),
      description: "Default skill",
    },
    message: {
      short: "m",
      value: "required",
      hint: "text",
      max: limits.versionMessage,
      description: "Message of the version",
    },
    folder: {
      short: "f",
      value: "required",
      hint: "path",
      form: "folder",
      max: limits.folderPath,
      description: "Destination folder, as a/b",
    },
    parents: { short: "p", value: "none", description: "Create missing folders of --folder" },
    personal: { value: "none", description: "Publish privately into your personal workspace" },
    create: { value: "none", description: "Fail if the name exists; never update, never rename" },
    update: { value: "none", description: "Fail unless a version is added to an existing skill" },
    "if-changed": {
      value: "none",
      description: "Create no version if the content equals the current version",
    },
    "requires-mcp": {
      value: "required",
      multiple: true,
      mayBeEmpty: true,
      hint: "servers",
      description: "MCP servers that a private skill requires, comma-separated; --requires-mcp= for none",
    },
    "allow-secret-files": allowSecretsFlag,
    "dry-run": dryRunFlag,
    yes: { short: "y", value: "none", description: "Publish without a question" },
  },
  exclusive: [
    ["create", "update"],
    ["personal", "folder"],
    ["personal", "parents"],
  ],
  examples: [
    "svc publish ./code-review",
    "svc publish review.md -t acme --visibility public -m 'First version'",
    "svc publish ./code-review --folder ops/reviews --parents",
    "svc publish ./skills --dry-run",
    "svc publish notes.md --personal",
    "svc publish ./code-review --requires-mcp acme/search,acme/files",
    "svc publish ./code-review --update --if-changed -o json",
  ],
  async run(context, args) {
    if (args.parents && args.folder === undefined)
      throw invalidArgument("--parents", "--parents goes with --folder.");
    if (args.personal && args.visibility !== undefined && args.visibility !== "private")
      throw invalidArgument(
        "--visibility",
        "--personal publishes privately: leave --visibility out, or say private.",
      );
    refuseRequiredUnlessPrivate(args["requires-mcp"], args.visibility);
    if (args.path === undefined)
      requireInteraction(context, "<path>", "Say what to publish: svc publish <path>.");
    const own = args.path === undefined ? await findOwn(context) : [];
    const given =
      args.path !== undefined ? { path: args.path } : own.length > 0 ? undefined : await askForPath();
    const below = given === undefined ? undefined : await findBelow(context, given.path);
    const flags = { name: args.name, type: args.type, allowSecrets: args["allow-secret-files"] };
    if (below !== undefined) refuseName(flags.name);
    // Invalid content is refused before the next question.
    const single =
      given === undefined || below !== undefined ? undefined : await readChosen(context, flags, given);

    const { client } = await openSession(context);
    const team = args.team ?? (await chooseTeam(context, client, "Publish to which organization?"));
    const requiredMcpServers = await parseRequired(client, args["requires-mcp"]);
    const input = { ...inputOf(args, team), requiredMcpServers };
    const job: PublishJob = { ...flags, input };
    const { "dry-run": dryRun, yes: isConfirmed } = args;
    if (single !== undefined) {
      if (dryRun) {
        const plan = await planOne(client, job, given!, single);
        return presentDryRun(context, plan, single, args["if-changed"]);
      }
      if (context.interactive && !isConfirmed) await confirmLocation(context, client, job, given!, single);
      return presentOne(context, await publishOne(context, client, job, given!, single), single.warnings);
    }
    if (below !== undefined) return publishAll(context, client, job, below, { dryRun, isConfirmed });
    const chosen = await chooseOwn(context, client, job, own);
    if (chosen.length > 1) refuseName(flags.name);
    if (chosen.length === 0) return { data: undefined, text: "There is nothing else to publish." };
    return publishAll(context, client, job, chosen, { dryRun, isConfirmed, isSelected: true });
  },
});

/** Asks before a version follows one that came from another repository or folder. */
async function confirmLocation(
  context: Context,
  client: Client,
  job: PublishJob,
  chosen: Chosen,
  source: ChosenSource,
): Promise<void> {
  if (source.contentLocation === undefined) return;
  const plan = await planOne(client, job, chosen, source);
  const [warning] = otherLocation(plan).warnings;
  if (warning === undefined || (plan.unchanged && job.input.ifChanged)) return;
  context.output.warn(warning);
  await askYes(`Publish ${plan.semver} of ${plan.skill.tenantSlug}/${plan.skill.slug} from here?`);
}

function refuseName(name: string | undefined): void {
  if (name !== undefined)
    throw invalidArgument("--name", "--name is for one skill: choose one, or leave it out.");
}

function inputOf(
  args: {
    visibility: string | undefined;
    message: string | undefined;
    folder: string | undefined;
    [flag: string]: string | boolean | readonly string[] | undefined;
  },
  team: string,
): PublishJob["input"] {
  return {
    mode: args["create"] ? "create" : args["update"] ? "update" : "upsert",
    tenantId: team,
    visibility: args.visibility,
    message: args.message,
    folder: args.folder,
    createFolders: args["parents"] ? true : undefined,
    personal: args["personal"] ? true : undefined,
    ifChanged: args["if-changed"] ? true : undefined,
  };
}
