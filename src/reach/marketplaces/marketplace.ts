/**
 * The repository of a marketplace, brought up to date before each use. Each changed skill is one commit; when a skill
 * or a version is in the history that the audience may not read any more, a new repository takes the place of this
 * one, so that no object of it can be fetched.
 */
import { createHash } from "node:crypto";
import { Coalescer } from "../../../contract/concurrency/coalescer.ts";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import { publicName } from "../../../contract/names/public-name.ts";
import { RepoError } from "../../../repos/errors.ts";
import type { AssembledDraft } from "../../../repos/store/index.ts";
import { isDuplicate } from "../../../storage/database.ts";
import type {
  MarketplaceDoc,
  MarketplacePlugin,
  ServedMarketplace,
} from "../../../storage/reach/marketplaces.ts";
import type { OfferedSkill } from "../../../storage/skills/tenant-skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { perApp } from "../../per-app.ts";
import { hiddenVersions } from "../../skills/marks/marks.ts";
import { commitHost } from "../../skills/publish/author.ts";
import { listedDescription } from "../listed-description.ts";
import { marketplaceAddress, skillPage } from "./addresses.ts";
import { isTextRule, listReadable, readOffer, requireWhole, type Audience, type Offer } from "./audience.ts";
import {
  manifestForm,
  marketplaceFiles,
  ownLayout,
  pluginFiles,
  readmeFile,
  type MarketplaceFacts,
} from "./manifests.ts";
import { marketplaceName } from "./names.ts";
import { ruleFile } from "./rule-file.ts";

/** More changes than these since the last build are one commit. */
const maxCommits = 20;
/** Bytes of versions in a history, and number of them. With more, the next commit begins a new one. */
const maxHistoryBytes = 1024 ** 3;
const maxHistoryVersions = 20_000;
const attempts = 5;
/** Texts of rules that are read at a time. */
const readConcurrency = 8;

interface Current {
  marketplace: ServedMarketplace;
  offer: Offer;
}

const builds = perApp(() => new Coalescer<Current>());

/**
 * The marketplace with exactly the skills that its audience may read now, and that the actor may read. Concurrent calls
 * share a build. Throws `forbidden`.
 */
export async function currentMarketplace(app: App, actor: Actor, audience: Audience): Promise<Current> {
  const { tenant, key } = audience;
  const offer = await readOffer(app, audience);
  const served = await app.storage.marketplaces.findServed(tenant._id, key);
  const isCurrent =
    served?.signature === signatureOf(app, audience, offer) && (await isServable(app, served));
  const current = isCurrent
    ? { marketplace: served, offer }
    : await builds(app).run(`${tenant._id} ${key}`, () => build(app, audience));
  await requireWhole(app, actor, audience, current.offer);
  return current;
}

/** Folder of the repository for native git, with its branch at the newest commit. */
export async function folderOf(app: App, marketplace: ServedMarketplace): Promise<string> {
  return app.repos.materialize(repoOf(marketplace));
}

const repoOf = ({ tenantId, repoId }: Pick<MarketplaceDoc, "tenantId" | "repoId">) => ({
  tenantId,
  skillId: repoId,
});

/** A plugin before it is in the repository. */
type WantedPlugin = Omit<MarketplacePlugin, "treeOid">;

/** In the order of their slugs. */
function pluginsOf({ skills }: Offer): WantedPlugin[] {
  return skills
    .map((skill) => ({
      skillId: skill._id,
      slug: skill.slug,
      title: skill.name,
      description: listedDescription(
        skill,
        skill.current.version,
        skill.description,
        limits.skillDescription,
      ),
      semver: skill.current.semver,
      tags: skill.tags,
      isRule: isTextRule(skill),
      author: skill.author && (publicName(skill.author.name) || skill.author.username),
      commit: skill.current.oid,
      version: skill.current.version,
      bytes: skill.current.totalBytes,
      changedAt: skill.updatedAt,
    }))
    .sort((a, b) => (a.slug < b.slug ? -1 : 1));
}

/** The facts of a plugin that its files show. */
const shownOf = ({ bytes: _bytes, changedAt: _at, ...shown }: WantedPlugin): string => JSON.stringify(shown);

/** Two digests: of what the newest commit is made of, and of the versions that are hidden. */
function signatureOf(app: App, audience: Audience, offer: Offer): string {
  const facts = JSON.stringify({ ...factsOf(app, audience, ""), renames: offer.renames });
  const shown = [`${manifestForm}\n${facts}`, ...pluginsOf(offer).map(shownOf)];
  const hidden = offer.skills.map((skill) => `${skill._id} ${hiddenVersions(skill).join(" ")}`);
  return `${digestOf(shown)}.${digestOf(hidden)}`;
}

const digestOf = (lines: readonly string[]) => createHash("sha256").update(lines.join("\n")).digest("hex");
const shownPart = (signature: string) => signature.split(".")[0];

export function factsOf(app: App, { tenant, key, collection }: Audience, name: string): MarketplaceFacts {
  const { baseUrl } = app.config;
  const part = collection ? collection.name : key === "members" ? "for members" : undefined;
  return {
    name,
    title: part === undefined ? tenant.name : `${tenant.name}: ${part}`,
    description: (collection ?? tenant).description ?? "",
    homepage: `${baseUrl}/${tenant.slug}`,
    address: marketplaceAddress(baseUrl, tenant.slug, collection?.slug ?? key, collection !== undefined),
    developer: tenant.name,
    isRequired: (collection?.requiredFor ?? []).length > 0,
  };
}

/** The name of a marketplace that is not made yet. */
export function newNameOf({ tenant, key, collection }: Audience): string {
  return marketplaceName(tenant.slug, collection?.slug ?? (key === "public" ? undefined : key));
}

/** Writes the refs, which may be behind on this machine. False if the repository is lost. */
async function isServable(app: App, marketplace: ServedMarketplace): Promise<boolean> {
  const repo = repoOf(marketplace);
  try {
    const { main } = await app.repos.readRefs(repo);
    if (main === marketplace.commit) return true;
    await app.repos.advanceRefs(repo, async () => ({
      main: (await app.storage.marketplaces.findByRepository(marketplace.repoId))?.commit ?? null,
      head: null,
    }));
    return true;
  } catch (error) {
    if (error instanceof RepoError && error.code === "repository_missing") return false;
    throw error;
  }
}

/** The document is read before the offer, so that its revision tells whether another call built a later offer. */
async function build(app: App, audience: Audience): Promise<Current> {
  const { marketplaces } = app.storage;
  const { tenant, key } = audience;
  const exhausted = () => new ServiceError("unavailable", "The marketplace keeps changing: try again.");
  return retryLost({ attempts, exhausted }, async () => {
    const before = await marketplaces.find(tenant._id, key);
    const offer = await readOffer(app, audience);
    const signature = signatureOf(app, audience, offer);
    const isPresent = before !== null && (await isServable(app, before));
    if (isPresent && before.signature === signature) return { marketplace: before, offer };
    const continues =
      isPresent &&
      before.historyBytes < maxHistoryBytes &&
      (await keepsHistory(app, audience, before, offer));
    // A version that was hidden, and that the history does not have, makes no commit that would tell of it.
    const isSame = continues && shownPart(before.signature) === shownPart(signature);
    const made = isSame
      ? { ...before, revision: before.revision + 1 }
      : await commitChanges(app, audience, offer, { before, continues });
    const after = { ...made, signature };
    const isFirst = before
      ? await marketplaces.replace(after, before.revision)
      : await insertedOnce(marketplaces.insert(after));
    if (!isFirst) return undefined;
    if (before && before.repoId !== after.repoId) eraseLater(app, before);
    await isServable(app, after);
    return { marketplace: after, offer };
  });
}

async function insertedOnce(insertion: Promise<void>): Promise<boolean> {
  try {
    await insertion;
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** The reconcile job erases it if this process ends before. */
function eraseLater(app: App, marketplace: MarketplaceDoc): void {
  app.background("erase the previous history of a marketplace", () => app.repos.erase(repoOf(marketplace)));
}

/** Whether the audience may still read every skill and version of which the history has content. */
async function keepsHistory(
  app: App,
  audience: Audience,
  { versions }: MarketplaceDoc,
  { skills }: Offer,
): Promise<boolean> {
  if (!versions || Object.values(versions).flat().length >= maxHistoryVersions) return false;
  const isHidden = (skill: OfferedSkill) =>
    hiddenVersions(skill).some((version) => versions[skill._id]?.includes(version));
  if (skills.some(isHidden)) return false;
  const offered = new Set(skills.map(({ _id }) => _id));
  const others = await listReadable(
    app,
    audience,
    Object.keys(versions).filter((id) => !offered.has(id)),
  );
  return others !== undefined && !others.some(isHidden);
}

interface Change {
  message: string;
  at: Date;
  plugins: (WantedPlugin | MarketplacePlugin)[];
}

/** Writes the commits that lead to the wanted plugins. Nothing refers to them before the document does. */
async function commitChanges(
  app: App,
  audience: Audience,
  offer: Offer,
  { before, continues }: { before: MarketplaceDoc | null; continues: boolean },
): Promise<Omit<MarketplaceDoc, "signature">> {
  const { tenant, key } = audience;
  const wanted = pluginsOf(offer);
  const name = before?.name ?? newNameOf(audience);
  const base = continues ? before! : undefined;
  const repoId = base?.repoId ?? app.newId();
  let state: Step["state"] = {
    commit: base?.commit,
    plugins: base?.plugins ?? [],
    historyBytes: base?.historyBytes ?? 0,
  };
  for (const change of changesOf(app, base, wanted))
    state = await commitChange(app, audience, { name, renames: offer.renames, repoId, state, change });
  return {
    _id: before?._id ?? app.newId(),
    tenantId: tenant._id,
    audience: key,
    name,
    repoId,
    commit: state.commit!,
    plugins: [...state.plugins],
    historyBytes: state.historyBytes,
    versions: versionsAfter(base?.versions, wanted),
    revision: (before?.revision ?? 0) + 1,
    updatedAt: app.now(),
  };
}

function versionsAfter(
  before: MarketplaceDoc["versions"] = {},
  wanted: readonly WantedPlugin[],
): Record<string, number[]> {
  const added = wanted.map(({ skillId, version }) => {
    const known = before[skillId] ?? [];
    return [skillId, known.includes(version) ? known : [...known, version]] as const;
  });
  return { ...before, ...Object.fromEntries(added) };
}

/** One change for each skill, the earliest first, or one for all; at least one, since the list itself may differ. */
function changesOf(app: App, before: MarketplaceDoc | undefined, wanted: readonly WantedPlugin[]): Change[] {
  const whole = (message: string): Change[] => [{ message, at: app.now(), plugins: [...wanted] }];
  if (!before) return whole(`All skills: ${wanted.length}`);
  const known = new Map(before.plugins.map((plugin) => [plugin.skillId, plugin]));
  const changed = wanted
    .filter((plugin) => {
      const old = known.get(plugin.skillId);
      return !old || shownOf(withoutTree(old)) !== shownOf(plugin);
    })
    .sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime());
  const kept = new Set(wanted.map(({ skillId }) => skillId));
  const isSmaller = before.plugins.some(({ skillId }) => !kept.has(skillId));
  if (isSmaller || changed.length === 0 || changed.length > maxCommits)
    return whole(changed.length === 0 && !isSmaller ? "The marketplace itself" : "Several skills");
  let plugins: Change["plugins"] = before.plugins;
  return changed.map((plugin) => {
    plugins = [...plugins.filter(({ skillId }) => skillId !== plugin.skillId), plugin].sort((a, b) =>
      a.slug < b.slug ? -1 : 1,
    );
    return { message: `${plugin.slug} ${plugin.semver}`, at: plugin.changedAt, plugins };
  });
}

const withoutTree = ({ treeOid: _treeOid, ...plugin }: MarketplacePlugin): WantedPlugin => plugin;

interface Step {
  name: string;
  renames: Offer["renames"];
  repoId: string;
  state: { commit: string | undefined; plugins: readonly MarketplacePlugin[]; historyBytes: number };
  change: Change;
}

async function commitChange(
  app: App,
  audience: Audience,
  { name, renames, repoId, state, change }: Step,
): Promise<Step["state"]> {
  const facts = { ...factsOf(app, audience, name), renames };
  const { tenant } = audience;
  const known = new Map(state.plugins.map((plugin) => [plugin.skillId, plugin]));
  const withPages = change.plugins.map((plugin) => ({
    ...plugin,
    homepage: skillPage(app.config.baseUrl, tenant.slug, plugin.slug),
  }));
  let copiedBytes = 0;
  const folders: AssembledDraft["folders"] = await mapLimit(withPages, readConcurrency, async (plugin) => {
    const { skillId, slug, commit, bytes, isRule } = plugin;
    const old = known.get(skillId);
    const path = `plugins/${slug}`;
    if (old && shownOf(withoutTree(old)) === shownOf(wantedOf(plugin))) return { path, treeOid: old.treeOid };
    if (old?.commit !== commit) copiedBytes += bytes;
    const skill = { tenantId: tenant._id, skillId };
    const files = pluginFiles(plugin, facts.developer);
    if (isRule) return { path, files: [...files, await ruleFile(app, skill, plugin)], copied: [] };
    return { path, files, copied: [{ path: `skills/${slug}`, skill, commit, known: old?.commit }] };
  });
  const { oid, folders: trees } = await app.repos.assemble(
    { tenantId: tenant._id, skillId: repoId },
    {
      parent: state.commit,
      author: { name: tenant.name, email: `o-${tenant._id}@users.noreply.${commitHost(app.config.baseUrl)}` },
      at: change.at,
      message: change.message,
      folders,
      files: [...marketplaceFiles(facts, withPages, ownLayout), readmeFile(facts)],
      copiedBytes,
    },
  );
  return {
    commit: oid,
    historyBytes: state.historyBytes + copiedBytes,
    plugins: change.plugins.map((plugin) => ({
      ...wantedOf(plugin),
      treeOid: trees.get(`plugins/${plugin.slug}`)!,
    })),
  };
}

/** The fields of a plugin in one order, without others. */
function wantedOf(plugin: WantedPlugin): WantedPlugin {
  const { skillId, slug, title, description, semver, tags, isRule, author } = plugin;
  const { commit, version, bytes, changedAt } = plugin;
  return {
    skillId,
    slug,
    title,
    description,
    semver,
    tags,
    isRule,
    author,
    commit,
    version,
    bytes,
    changedAt,
  };
}
