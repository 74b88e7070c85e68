/** Files of a marketplace in the forms of the tools that read it. Equal input makes equal bytes. */
import type { SmallFile } from "../../../repos/store/index.ts";
import type { MarketplacePlugin } from "../../../storage/reach/marketplaces.ts";
import type { Renames } from "./renames.ts";

/** Increased when the files change for equal input, so that every marketplace gets a new commit. */
export const manifestForm = 2;

export interface MarketplaceFacts {
  name: string;
  title: string;
  description: string;
  /** Address of the organization's or the collection's page. */
  homepage: string;
  /** Address for `git clone`. */
  address: string;
  developer: string;
  renames?: Renames;
  /** Whether people have to install its skills. */
  isRequired: boolean;
}

/** Locations of plugins in a repository, by which the lists name them. */
export interface PluginLayout {
  /** Source of a plugin in the lists for Claude Code and Copilot. */
  claude(slug: string): object;
  /** Folder with the manifests of Codex and Cursor. */
  folder(slug: string): string;
  /** A description in the list of Codex, which ignores it. */
  notice?: string;
}

/** The layout of repositories that contain nothing else. */
export const ownLayout: PluginLayout = {
  claude: (slug) => ({ source: `./plugins/${slug}` }),
  folder: (slug) => `./plugins/${slug}`,
};

export type PluginFacts = Pick<
  MarketplacePlugin,
  "slug" | "title" | "description" | "semver" | "tags" | "isRule" | "author"
> & { homepage: string };

const json = (value: object) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** One list of plugins for each tool. */
export function marketplaceFiles(
  facts: Omit<MarketplaceFacts, "homepage" | "address">,
  plugins: readonly PluginFacts[],
  layout: PluginLayout,
): SmallFile[] {
  const { name, title, description, developer, renames, isRequired } = facts;
  const installation = isRequired ? "INSTALLED_BY_DEFAULT" : "AVAILABLE";
  const skills = plugins.filter(({ isRule }) => !isRule);
  const claude = json({
    name,
    owner: { name: developer },
    metadata: { description },
    renames,
    plugins: skills.map((plugin) => ({
      name: plugin.slug,
      ...layout.claude(plugin.slug),
      description: plugin.description,
      version: plugin.semver,
      ...(plugin.tags.length > 0 ? { keywords: plugin.tags } : {}),
    })),
  });
  return [
    { path: ".claude-plugin/marketplace.json", data: claude },
    { path: ".github/plugin/marketplace.json", data: claude },
    {
      path: ".agents/plugins/marketplace.json",
      data: json({
        name,
        description: layout.notice,
        interface: { displayName: title },
        plugins: skills.map((plugin) => ({
          name: plugin.slug,
          source: { source: "local", path: layout.folder(plugin.slug) },
          policy: { installation, authentication: "ON_INSTALL" },
          category: "Productivity",
        })),
      }),
    },
    {
      path: ".cursor-plugin/marketplace.json",
      data: json({
        name,
        owner: { name: developer },
        metadata: { description },
        plugins: plugins.map(({ slug, description: text }) => ({
          name: slug,
          source: layout.folder(slug),
          description: text,
        })),
      }),
    },
  ];
}

/** Manifests of a plugin, beside its folder `skills` or `rules`. */
export function pluginFiles(plugin: PluginFacts, developer: string): SmallFile[] {
  const { slug, title, description, semver, tags, isRule, homepage } = plugin;
  const author = { name: plugin.author ?? developer };
  const keywords = tags.length > 0 ? { keywords: tags } : {};
  const common = { name: slug, version: semver, description };
  const cursor = {
    path: ".cursor-plugin/plugin.json",
    data: json({
      ...common,
      displayName: title,
      author,
      homepage,
      ...keywords,
      ...(isRule ? { rules: "./rules/" } : { skills: "./skills/" }),
    }),
  };
  if (isRule) return [cursor];
  return [
    { path: ".claude-plugin/plugin.json", data: json({ ...common, author, homepage, ...keywords }) },
    {
      path: ".codex-plugin/plugin.json",
      data: json({
        ...common,
        ...keywords,
        skills: "./skills/",
        interface: {
          displayName: title,
          shortDescription: description,
          developerName: developer,
          websiteURL: homepage,
        },
      }),
    },
    cursor,
    { path: ".devin-plugin/plugin.json", data: json(common) },
  ];
}

/** A text for people. */
export const readmeFile = (facts: MarketplaceFacts): SmallFile => ({
  path: "README.md",
  data: Buffer.from(readmeOf(facts)),
});

const readmeOf = ({ name, title, description, homepage, address }: MarketplaceFacts): string =>
  [
    `# ${title}`,
    ...(description === "" ? [] : [description]),
    `The skills of <${homepage}> as plugins. This repository is made by the registry: changes go to the skills there.`,
    [
      "```",
      `claude plugin marketplace add ${address}`,
      `codex plugin marketplace add ${address}`,
      `copilot plugin marketplace add ${address}`,
      "```",
    ].join("\n"),
    `Then install a plugin by its name, for example \`claude plugin install <name>@${name}\`.`,
    "",
  ].join("\n\n");
