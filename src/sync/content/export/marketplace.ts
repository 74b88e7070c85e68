/** Generated files: the list of skills, and those with which a connected repository is a marketplace. */
import { mapLimit } from "../../../../contract/concurrency/map-limit.ts";
import { limits } from "../../../../contract/limits.ts";
import { publicName } from "../../../../contract/names/public-name.ts";
import {
  pluginsFolder,
  type GeneratedEdit,
  type MarketplaceContent,
  type MarketplaceEdit,
  type PluginFolder,
} from "../../../../repos/mirror/generated/types.ts";
import { indexFile, marketplaceNotice } from "../../../../repos/mirror/layout.ts";
import type { ConnectionDoc } from "../../../../storage/connections/connections.ts";
import type { App } from "../../../app.ts";
import { listedDescription } from "../../../reach/listed-description.ts";
import { skillPage } from "../../../reach/marketplaces/addresses.ts";
import { isTextRule } from "../../../reach/marketplaces/audience.ts";
import { marketplaceFiles, pluginFiles, type PluginFacts } from "../../../reach/marketplaces/manifests.ts";
import { renamesOf } from "../../../reach/marketplaces/renames.ts";
import { ruleFile } from "../../../reach/marketplaces/rule-file.ts";
import type { LocatedSkill } from "./exported.ts";

/** Texts of rules that are read at a time. */
const readConcurrency = 8;

/** The list of skills, and the files of a marketplace. */
export async function generatedEdits(
  app: App,
  connection: Pick<ConnectionDoc, "tenantId" | "marketplace">,
  skills: readonly LocatedSkill[],
): Promise<GeneratedEdit[]> {
  const marketplace = await marketplaceEdit(app, connection, skills);
  return [{ kind: "index", data: indexFile(skills) }, ...(marketplace ? [marketplace] : [])];
}

/** The edit of a connection whose option is on or was on before; undefined for others, whose files are not touched. */
async function marketplaceEdit(
  app: App,
  { tenantId, marketplace }: Pick<ConnectionDoc, "tenantId" | "marketplace">,
  skills: readonly LocatedSkill[],
): Promise<MarketplaceEdit | undefined> {
  if (!marketplace) return undefined;
  const tenant = await app.storage.tenants.find(tenantId);
  if (!marketplace.isOn || !tenant) return { kind: "marketplace", skills: [], content: undefined };
  const sorted = skills.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
  const located = sorted.slice(0, limits.skillsPerMarketplace);
  const listed = located.filter((skill) => !isTextRule(skill));
  const renames = Object.entries(
    (await renamesOf(app, tenant, listed, { isPublic: false, withDeleted: true })) ?? {},
  );
  const rules = new Map<string, ReturnType<typeof ruleFile>>();

  async function content(present: ReadonlySet<string>): Promise<MarketplaceContent> {
    const offered = located.filter(({ path }) => present.has(path));
    const pathOf = new Map(offered.map(({ slug, path }) => [slug, path]));
    const kept = renames.filter(([, slug]) => slug === null || pathOf.has(slug));
    const plugins = offered.map((skill) => ({ skill, facts: factsOf(app, tenant!.slug, skill) }));
    const files = marketplaceFiles(
      {
        name: marketplace!.name,
        title: tenant!.name,
        description: [tenant!.description, marketplaceNotice].filter(Boolean).join(" "),
        developer: tenant!.name,
        renames: kept.length === 0 ? undefined : Object.fromEntries(kept),
        isRequired: false,
      },
      plugins.map(({ facts }) => facts),
      {
        claude: (slug) => ({ source: `./${pathOf.get(slug)}`, strict: false, skills: ["./"] }),
        folder: (slug) => `./${pluginsFolder}/${slug}`,
        notice: marketplaceNotice,
      },
    );
    const folders = await mapLimit(
      plugins,
      readConcurrency,
      async ({ skill, facts }): Promise<PluginFolder> => {
        const manifests = pluginFiles(facts, tenant!.name);
        const { slug } = skill;
        if (!facts.isRule) return { slug, files: manifests, skill: skill.path };
        const key = `${skill.id} ${skill.revision}`;
        const { oid: commit } = skill.current;
        const rule = rules.get(key) ?? ruleFile(app, { tenantId, skillId: skill.id }, { ...facts, commit });
        rules.set(key, rule);
        return { slug, files: [...manifests, await rule], skill: undefined };
      },
    );
    return { files: new Map(files.map(({ path, data }) => [path, data])), plugins: folders };
  }
  return { kind: "marketplace", skills: located.map(({ path }) => path), content };
}

function factsOf(app: App, org: string, skill: LocatedSkill): PluginFacts & { homepage: string } {
  const { slug, name, current, tags, author } = skill;
  return {
    slug,
    title: name,
    description: listedDescription(skill, current.version, skill.description, limits.skillDescription),
    semver: current.semver,
    tags,
    isRule: isTextRule(skill),
    author: author && (publicName(author.name) || author.username),
    homepage: skillPage(app.config.baseUrl, org, slug),
  };
}
