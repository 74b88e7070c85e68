import { skillTypes, visibilities } from "../../contract/vocabulary.ts";
import type { PublishInput } from "../api/client.ts";
import { defineCommand } from "../command.ts";
import { invalidArgument } from "../errors.ts";
import { readSource, stageContent } from "../pack/source.ts";
import { askText, requireInteraction } from "../prompts.ts";
import { openSession } from "../state/session.ts";
import { chooseTeam } from "../team.ts";

export const publish = defineCommand({
  name: "publish",
  summary: "Publish a file (text skill) or folder (package); an existing name gets a new version",
  positionals: {
    path: { description: "A file, or a folder with a SKILL.md at its root", completes: "path" },
  },
  flags: {
    team: { short: "t", value: "required", hint: "id-or-slug", description: "Organization to publish to" },
    name: { short: "n", value: "required", hint: "name", description: "Display name" },
    visibility: {
      value: "required",
      choices: visibilities,
      hint: visibilities.join("|"),
      description: "Who may see it (default private)",
    },
    type: {
      value: "required",
      choices: skillTypes,
      hint: skillTypes.join("|"),
      description: "Default skill",
    },
    message: { short: "m", value: "required", hint: "text", description: "Message of the version" },
    folder: { short: "f", value: "required", hint: "path", description: "Destination folder, as a/b" },
    parents: { short: "p", value: "none", description: "Create missing folders of --folder" },
    personal: { value: "none", description: "Publish privately into your personal workspace" },
    create: { value: "none", description: "Fail if the name exists; never update, never rename" },
    update: { value: "none", description: "Fail unless a version is added to an existing skill" },
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
    "svc publish notes.md --personal",
    "svc publish ./code-review --update -o json",
  ],
  async run(context, args) {
    if (args.parents && args.folder === undefined)
      throw invalidArgument("--parents", "--parents goes with --folder.");
    if (args.personal && args.visibility !== undefined && args.visibility !== "private")
      throw invalidArgument(
        "--visibility",
        "--personal publishes privately: leave --visibility out, or say private.",
      );
    if (args.path === undefined)
      requireInteraction(context, "<path>", "Say what to publish: svc publish <path>.");
    const path = args.path ?? (await askText("Which file or folder?", "./my-skill"));
    const source = await readSource(context, path);
    const { client } = await openSession(context);
    const team = args.team ?? (await chooseTeam(context, client, "Publish to which organization?"));
    const content = await stageContent(context, client, source);

    const input: PublishInput = {
      ...content,
      mode: args.create ? "create" : args.update ? "update" : "upsert",
      tenantId: team,
      name: args.name ?? source.name,
      ...(args.type === undefined ? {} : { type: args.type }),
      ...(args.visibility === undefined ? {} : { visibility: args.visibility }),
      ...(args.message === undefined ? {} : { message: args.message }),
      ...(args.folder === undefined ? {} : { folder: args.folder }),
      ...(args.parents ? { createFolders: true } : {}),
      ...(args.personal ? { personal: true } : {}),
    };
    const { action, unchanged, skill, version, url, ignoredFlags, warnings } = await client.publish(input);
    const { publicId, slug, name, type, visibility, currentVersion, currentSemver, tenantId, folderId } =
      skill;
    const told = [
      ...(warnings ?? []),
      ...ignoredFlags
        .filter((flag) => flag === "type")
        .map(() => `--type was ignored: the skill keeps its type ${type}`),
    ];
    for (const warning of told) context.output.warn(warning);
    return {
      data: {
        action,
        skill: { publicId, slug, name, type, visibility, currentVersion, currentSemver, tenantId, folderId },
        url,
        format: version.format,
        ...(version.fileCount === undefined ? {} : { fileCount: version.fileCount }),
        ignoredFlags: ignoredFlags.filter((flag) => flag !== "type"),
        warnings: told,
      },
      text: [
        unchanged
          ? `${name} is unchanged at ${version.semver}.`
          : `${action === "created" ? "Published" : "Updated"} ${context.output.paint("bold", name)} ${version.semver} (${visibility})`,
        url,
        `Install it with: svc install ${skill.tenantSlug}/${slug}`,
      ].join("\n"),
    };
  },
});
