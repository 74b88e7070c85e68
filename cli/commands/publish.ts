import { basename, sep } from "node:path";
import type { PublishResult } from "../../contract/payloads/skills.ts";
import { type SkillType, skillTypes, visibilities } from "../../contract/vocabulary.ts";
import { checkSkillUrl } from "../api/address.ts";
import type { PublishInput } from "../api/client.ts";
import { type CommandResult, defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { Cancelled, invalidArgument, messageOf } from "../errors.ts";
import { type SkillSource, readSource, stageContent } from "../pack/source.ts";
import { askSeveral, askText, requireInteraction } from "../prompts.ts";
import { openSession } from "../state/session.ts";
import { readConfig } from "../state/state.ts";
import { plainLine } from "../table.ts";
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
      description: "Who can see it (default private)",
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
    "if-changed": {
      value: "none",
      description: "Create no version if the content equals the current version",
    },
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
    if (args.path === undefined)
      requireInteraction(context, "<path>", "Say what to publish: svc publish <path>.");
    const chosen = args.path === undefined ? await chooseSources(context) : [{ path: args.path }];
    if (chosen.length > 1 && args.name !== undefined)
      throw invalidArgument("--name", "--name is for one skill: choose one, or leave it out.");
    const [first] = chosen;
    // Invalid content is refused before the next question.
    const single = chosen.length === 1 ? await readSource(context, first!.path) : undefined;

    const { client } = await openSession(context);
    const team = args.team ?? (await chooseTeam(context, client, "Publish to which organization?"));
    const input: Omit<PublishInput, "name"> = {
      mode: args.create ? "create" : args.update ? "update" : "upsert",
      tenantId: team,
      ...(args.visibility === undefined ? {} : { visibility: args.visibility }),
      ...(args.message === undefined ? {} : { message: args.message }),
      ...(args.folder === undefined ? {} : { folder: args.folder }),
      ...(args.parents ? { createFolders: true } : {}),
      ...(args.personal ? { personal: true } : {}),
      ...(args["if-changed"] ? { ifChanged: true } : {}),
    };
    const publishOne = async ({ type }: Chosen, source: SkillSource) => {
      const given = { name: args.name ?? source.name, ...typeOf(args.type ?? type) };
      const content = await stageContent(context, client, source);
      return present(context, await client.publish({ ...input, ...given, ...content }));
    };
    if (single !== undefined) return publishOne(first!, single);

    const results: CommandResult[] = [];
    let failed = false;
    for (const [i, choice] of chosen.entries())
      try {
        const work = async () => publishOne(choice, await readSource(context, choice.path));
        const label = `Publishing ${basename(choice.path)} (${i + 1} of ${chosen.length})`;
        results.push(await context.output.waiting(label, work));
      } catch (error) {
        if (error instanceof Cancelled) throw error;
        failed = true;
        const text = `${context.output.paint("red", "failed")}  ${choice.path}: ${messageOf(error)}`;
        results.push({ data: undefined, text });
      }
    return {
      data: results.map(({ data }) => data),
      text: results.map(({ text }) => text).join("\n\n"),
      partial: failed,
    };
  },
});

interface Chosen {
  path: string;
  /** Set for a rule that was found in a tool's folder. */
  type?: SkillType;
}

const typeOf = (type: string | undefined) => (type === undefined ? {} : { type: type as SkillType });

/** Lets the user select from the skills in the tools' folders, or type a path if there are none. */
async function chooseSources(context: Context): Promise<Chosen[]> {
  const { findOwnSkills } = await import("../pack/scan.ts");
  const config = await readConfig(context);
  const found = await context.output.waiting("Looking into the folders of your tools", () =>
    findOwnSkills(context, config),
  );
  if (found.length === 0) return [{ path: await askText("Which file or folder?", "./my-skill") }];
  return askSeveral(
    "Which of your skills and rules?",
    found.map((skill) => ({
      value: { path: skill.path, ...(skill.type === "rule" ? { type: skill.type } : {}) },
      label: plainLine(skill.name),
      hint: plainLine(`${skill.tool} ${skill.type}, ${shortPath(context, skill.path)}`),
    })),
    [],
  );
}

/** The path in its short form, relative or with `~`. */
function shortPath({ cwd, home }: Context, path: string): string {
  const short = (folder: string, prefix: string) => `${prefix}${path.slice(folder.length + 1)}`;
  if (path.startsWith(cwd + sep)) return short(cwd, "");
  return path.startsWith(home + sep) ? short(home, `~${sep}`) : path;
}

function present(context: Context, published: PublishResult): CommandResult {
  const { action, unchanged, skill, version, ignoredFlags, warnings } = published;
  const url = checkSkillUrl(published.url);
  const { publicId, slug, name, type, visibility, currentVersion, currentSemver } = skill;
  const { tenantId, tenantSlug, folderId } = skill;
  const shown = [
    ...(warnings ?? []),
    ...ignoredFlags
      .filter((flag) => flag === "type")
      .map(() => `--type was ignored: the skill keeps its type ${type}`),
  ];
  for (const warning of shown) context.output.warn(warning);
  return {
    data: {
      action,
      skill: {
        publicId,
        slug,
        tenantSlug,
        name,
        type,
        visibility,
        currentVersion,
        currentSemver,
        tenantId,
        folderId,
      },
      url,
      format: version.format,
      ...(version.fileCount === undefined ? {} : { fileCount: version.fileCount }),
      ignoredFlags: ignoredFlags.filter((flag) => flag !== "type"),
      unchanged,
      warnings: shown,
    },
    text: [
      unchanged
        ? `${name} (${tenantSlug}/${slug}) is unchanged at ${version.semver}: no version was created.`
        : `${action === "created" ? "Published" : "Updated"} ${context.output.paint("bold", name)} (${tenantSlug}/${slug}) ${version.semver}, ${visibility}`,
      url,
      `Install it with: svc install ${tenantSlug}/${slug}`,
    ].join("\n"),
  };
}
