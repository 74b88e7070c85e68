/** Prompts about skills: to use one, and to write one by the rules of this service and of an organization. */
import { limits } from "../../../contract/limits.ts";
import type { Actor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { folderActsIn } from "../../folders/access/acts.ts";
import { loadFolderView, visibleFolders } from "../../folders/load.ts";
import { partOf } from "../../mcp/tools/bounds.ts";
import type { Prompt } from "../../mcp/tools/surface.ts";
import { loadTenant } from "../../orgs/service.ts";
import { warningsAbout } from "../marks/marks.ts";
import { readText } from "../read/content.ts";
import { refOf, resolveRef } from "../resolve.ts";
import { exploreSkills, listSkills } from "../search/search.ts";
import { selectVersion } from "../versions/select-version.ts";

const completions = 20;
const shownFolders = 20;

export function skillPrompts(app: App): Prompt[] {
  return [
    {
      name: "use-skill",
      title: "Use a skill",
      description: "Loads a skill and asks the agent to follow it",
      arguments: [
        {
          name: "skill",
          description: "organization/slug, or a slug in your organizations",
          required: true,
          complete: (actor, typed) => completeSkill(app, actor, typed),
        },
        { name: "task", description: "what to do with it", required: false },
      ],
      render: (actor, { skill, task }) => useSkill(app, actor, skill!, task),
    },
    {
      name: "write-a-skill",
      title: "Write a skill",
      description: "The rules for skills of this service and of an organization, and how to publish one",
      arguments: [
        { name: "subject", description: "what the skill is about", required: false },
        {
          name: "organization",
          description: "where it will be published",
          required: false,
          complete: async (actor, typed) =>
            actor.kind === "anonymous"
              ? []
              : actor.memberships
                  .map(({ tenantSlug }) => tenantSlug)
                  .filter((slug) => slug.startsWith(typed)),
        },
      ],
      render: (actor, given) => writeSkill(app, actor, given["subject"], given["organization"]),
    },
  ];
}

async function completeSkill(app: App, actor: Actor, typed: string): Promise<string[]> {
  const query = typed
    .slice(typed.indexOf("/") + 1)
    .slice(0, limits.searchQuery)
    .trim();
  const page =
    actor.kind === "anonymous"
      ? await exploreSkills(app, actor, { query, sort: "downloads", limit: completions })
      : await listSkills(app, actor, { query, limit: completions });
  const organization = typed.includes("/") ? typed.slice(0, typed.indexOf("/")) : undefined;
  return page.items
    .filter(({ tenantSlug }) => organization === undefined || tenantSlug === organization)
    .map((skill) => refOf(skill));
}

async function useSkill(app: App, actor: Actor, ref: string, task: string | undefined): Promise<string> {
  const skill = await resolveRef(app, actor, ref);
  const version = await selectVersion(app, skill, { kind: "current" });
  const { content } = await readText(app, skill, version);
  recordDownload(app, actor, version);
  const { text, nextOffset } = partOf(Buffer.from(content), 0, limits.mcpResultBytes.default);
  const purpose = task === undefined || task === "" ? "" : ` for this task: ${task}`;
  return [
    `Use the skill "${refOf(skill)}" (version ${version.semver})${purpose}.`,
    ...warningsAbout(skill, version),
    "Follow its instructions below. Read files that it mentions with read_skill.",
    ...(nextOffset === null
      ? []
      : ["This is the beginning of a long text: read the whole of it with read_skill first."]),
    "",
    text,
  ].join("\n");
}

const rules = [
  "A skill is a text, or a folder with SKILL.md at its root and other files (a package).",
  "SKILL.md begins with YAML frontmatter between --- lines: name and description. A package without them is published with a warning, and most tools do not load it.",
  "The name is lower-case letters, digits and single hyphens, at most 64 characters.",
  `The description says what the skill does and when to use it, since agents choose a skill by it alone: at most ${limits.skillDescriptionAdvised} characters.`,
  "Below it are instructions in the imperative, step by step. Keep the text short, and put details into files that it names.",
  `A text has at most ${limits.textContentBytes / 1024} KiB, a package ${limits.packageFiles} files.`,
  "Write no passwords, tokens or keys into it: the service reports them as findings.",
  "A new skill is private to its organization, unless visibility is unlisted or public.",
];

async function writeSkill(
  app: App,
  actor: Actor,
  subject: string | undefined,
  organization: string | undefined,
): Promise<string> {
  return [
    `Write a skill${subject === undefined || subject === "" ? "" : ` about: ${subject}`}.`,
    "First look with search_skills whether there is one already, and change that one with publish_version instead.",
    "",
    "Rules of this service:",
    ...rules.map((rule) => `- ${rule}`),
    "",
    ...(organization === undefined || organization === "" ? [] : await rulesOf(app, actor, organization)),
    "Check it with publish_skill and dryRun, show me the result, and publish it once I agree.",
  ].join("\n");
}

async function rulesOf(app: App, actor: Actor, organization: string): Promise<string[]> {
  const tenant = await loadTenant(app, actor, organization, "member");
  const view = await loadFolderView(app, actor, tenant._id);
  const actsOf = folderActsIn(view);
  const folders = [...visibleFolders(view)].flatMap((id) => {
    const node = view.tree.get(id)!;
    return actsOf(node).includes("publish") ? [view.tree.path(id)] : [];
  });
  const shown = folders.sort().slice(0, shownFolders);
  const more =
    folders.length > shown.length ? [`- and ${folders.length - shown.length} more (list_folders)`] : [];
  return [
    `Rules of ${tenant.name} (${tenant.slug}):`,
    isAllowedIn(actor, "skill:create", tenant._id, null)
      ? "- You may publish outside of folders."
      : "- You may not publish outside of folders.",
    ...(shown.length === 0 ? [] : ["- Folders in which you may publish:"]),
    ...shown.map((path) => `  - ${path}`),
    ...more,
    "",
  ];
}
