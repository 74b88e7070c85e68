import { limits } from "../../../contract/limits.ts";
import type { CatalogItem, SkillPayload } from "../../../contract/payloads/skills/skills.ts";
import { collectPages } from "../../api/pages.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { invalidArgument } from "../../errors.ts";
import { qualifiedName } from "../../install/publisher.ts";
import { presentRecord } from "../../install/records/record.ts";
import { type InstalledInScope, inScopes, mainScope } from "../../install/records/scopes.ts";
import { currentText, presentListed, presentSkill } from "../../present.ts";
import type { InstalledSkill } from "../../state/config.ts";
import { profileName } from "../../state/profiles.ts";
import { readConfig } from "../../state/read-config.ts";
import { openSession } from "../../state/session.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";

/** Maximum number of rows in a table; JSON contains everything. */
const maxRows = 200;

export const list = defineCommand({
  positionals: {},
  flags: {
    public: { value: "none", description: "The public catalog" },
    installed: { value: "none", description: "What is installed on this machine, with pins" },
    personal: { value: "none", description: "Skills of your personal workspace" },
    tag: { value: "required", hint: "tag", max: limits.tagLength, description: "Only skills with this tag" },
    "owner-team": {
      value: "required",
      hint: "team",
      max: limits.teamName,
      description: "Only skills that this team looks after, by its name or id",
    },
    search: {
      value: "required",
      hint: "text",
      max: limits.searchQuery,
      description: "Only skills that match this text",
    },
  },
  exclusive: [["public", "installed", "personal"]],
  examples: ["svc list", "svc list --public --search review", "svc list --installed -o json"],
  async run(context, args) {
    const ownerTeam = args["owner-team"];
    if (args.public && ownerTeam !== undefined)
      throw invalidArgument("--owner-team", "--owner-team does not go with --public.");
    if (args.installed) {
      const filters = { tag: args.tag, "owner-team": ownerTeam, search: args.search };
      const [filter] = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : name));
      if (filter !== undefined)
        throw invalidArgument(`--${filter}`, `--${filter} does not go with --installed.`);
      return listInstalled(context);
    }
    const { client } = await openSession(context);
    const max = context.json ? Infinity : maxRows;
    const query = { query: args.search, tag: args.tag, limit: limits.pageSizeMax };
    if (args.public) {
      const { items, more } = await collectPages((cursor) => client.explore({ ...query, cursor }), max);
      noteMore(context, more);
      return { data: items.map(presentCatalogItem), text: catalogTable(context, items) };
    }
    const { items, more } = await collectPages(
      (cursor) =>
        client.skills({
          ...query,
          owner_team: ownerTeam,
          personal: args.personal ? true : undefined,
          cursor,
        }),
      max,
    );
    noteMore(context, more);
    const text =
      items.length === 0 && ownerTeam !== undefined
        ? `No skills that the team "${plainLine(ownerTeam)}" looks after.`
        : skillTable(context, items);
    return { data: items.map(presentSkill), text };
  },
});

async function listInstalled(context: Context): Promise<CommandResult> {
  const config = await readConfig(context);
  const profile = config.profiles[profileName(config, context.profileFlag, context.env)];
  const installed = Object.entries(profile?.installed ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const data = installed.map(([installName, skill]) => {
    const { format, version, semver, range } = mainScope(skill);
    return {
      publicId: skill.publicId,
      slug: skill.slug,
      tenantSlug: skill.tenantSlug,
      name: skill.name,
      type: skill.type,
      format,
      installName,
      version,
      semver,
      pin: range,
      targetCount: countTargets(skill),
      installed: skill.installs.map(presentRecord),
    };
  });
  const text =
    data.length === 0
      ? "Nothing is installed. Try svc install."
      : table(
          context,
          ["NAME", "SKILL", "VERSION", "PIN", "TARGETS", "PROJECT"],
          installed.flatMap(inScopes).map(installedRow),
        );
  return { data, text };
}

function installedRow({ installName, skill, scope }: InstalledInScope): string[] {
  const { semver, range, records, projectDir } = scope;
  const platforms = [...new Set(records.map(({ platform }) => platform))];
  return [
    installName,
    qualifiedName(skill),
    semver,
    range,
    `${records.length} (${platforms.join(", ")})`,
    projectDir ?? "",
  ];
}

/** An item of the catalog, as in JSON output. */
function presentCatalogItem(item: CatalogItem) {
  const { author, downloads, deprecated } = item;
  return { ...presentListed(item), deprecated, author, downloads };
}

function skillTable(context: Context, skills: readonly SkillPayload[]): string {
  if (skills.length === 0) return "No skills. Publish one with svc publish.";
  return table(
    context,
    ["SKILL", "VERSION", "TYPE", "VISIBILITY", "DESCRIPTION"],
    skills.map((skill) => [
      `${skill.tenantSlug}/${skill.slug}`,
      currentText(skill),
      skill.type,
      skill.visibility,
      skill.description,
    ]),
  );
}

function catalogTable(context: Context, items: readonly CatalogItem[]): string {
  if (items.length === 0) return "Nothing found.";
  return table(
    context,
    ["SKILL", "VERSION", "TYPE", "DOWNLOADS", "DESCRIPTION"],
    items.map((item) => [
      `${item.tenantSlug}/${item.slug}`,
      currentText(item),
      item.type,
      String(item.downloads),
      item.description,
    ]),
  );
}

function table(context: Context, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const { columns, paint } = context.output;
  return renderTable(head, rows, { columns, paintHead: (text) => paint("bold", text) });
}

function noteMore(context: Context, more: boolean): void {
  if (more)
    context.output.note(`Only the first ${maxRows} are shown: narrow the list with --search or --tag.`);
}

/** A tool with a skill in several of its locations counts once for each scope. */
function countTargets({ installs }: InstalledSkill): number {
  return new Set(installs.map(({ platform, projectDir = "" }) => `${platform} ${projectDir}`)).size;
}
