/** Files of a marketplace in the forms of the tools that read it. Equal input makes equal bytes. */
import type { SmallFile } from "../../../repos/store/index.ts";
import type { MarketplacePlugin } from "../../../storage/reach/marketplaces.ts";

/** Increased when the files change for equal input, so that every marketplace gets a new commit. */
export const manifestForm = 1;

export interface MarketplaceFacts {
  name: string;
  title: string;
  description: string;
  /** Address of the organization's or the collection's page. */
  homepage: string;
  /** Address for `git clone`. */
  address: string;
  developer: string;
}

export type PluginFacts = Pick<
  MarketplacePlugin,
  "slug" | "title" | "description" | "semver" | "tags" | "author"
> & { homepage: string };

const json = (value: object) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** Files at the root: one list of plugins for each tool, and a text for people. */
export function marketplaceFiles(facts: MarketplaceFacts, plugins: readonly PluginFacts[]): SmallFile[] {
  const { name, title, description, developer } = facts;
  const claude = json({
    name,
    owner: { name: developer },
    metadata: { description },
    plugins: plugins.map((plugin) => ({
      name: plugin.slug,
      source: `./plugins/${plugin.slug}`,
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
        interface: { displayName: title },
        plugins: plugins.map((plugin) => ({
          name: plugin.slug,
          source: { source: "local", path: `./plugins/${plugin.slug}` },
          policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
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
          source: `./plugins/${slug}`,
          description: text,
        })),
      }),
    },
    { path: "README.md", data: Buffer.from(readmeOf(facts)) },
  ];
}

/** Manifests of a plugin, beside its folder `skills`. */
export function pluginFiles(plugin: PluginFacts, developer: string): SmallFile[] {
  const { slug, title, description, semver, tags, homepage } = plugin;
  const author = { name: plugin.author ?? developer };
  const keywords = tags.length > 0 ? { keywords: tags } : {};
  const common = { name: slug, version: semver, description };
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
    {
      path: ".cursor-plugin/plugin.json",
      data: json({ ...common, displayName: title, author, homepage, ...keywords, skills: "./skills/" }),
    },
    { path: ".devin-plugin/plugin.json", data: json(common) },
  ];
}

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
