/** Trial run of the imports of a plan by the rules of the sync and of a publish. Writes nothing. */
import type { Mirror, RemoteSkill } from "../../../repos/mirror/types.ts";
import type { SyncBase } from "../../../storage/sync/bases.ts";
import type { App } from "../../app.ts";
import { slugOfSkill } from "../../folders/tree/slug.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";
import { checkSourceContent } from "../../skills/publish/content/refused-content.ts";
import type { VersionSource } from "../../skills/publish/content/text-source.ts";
import { checkImportedFolder } from "../../skills/publish/import/import-folders.ts";
import type { LocatedSkill } from "../content/export/exported.ts";
import { isHeaderOnly, refuseOtherType, withSource } from "../content/import/import-source.ts";
import { findImportedVersion, wasText } from "../content/import/recover-import.ts";
import type { ImportAction } from "../content/plan-types.ts";
import { refusalOf, type Refusal } from "../content/refusal.ts";

export interface TriedImports {
  /** Actions that would be carried out. */
  actions: PlannedImport[];
  /** Actions that would change nothing, as their content is in a version. */
  unchanged: PlannedImport[];
  /** Directories whose edit would be undone. */
  undone: string[];
  refused: (Refusal & { path: string; skillId?: string })[];
}

type PlannedImport = Exclude<ImportAction, { kind: "refuse" }>;

interface TrialFacts {
  directories: readonly RemoteSkill[];
  skills: ReadonlyMap<string, LocatedSkill>;
  bases: ReadonlyMap<string, SyncBase>;
  tree: FolderTree;
}

export async function tryImports(
  app: App,
  mirror: Mirror,
  actions: readonly ImportAction[],
  facts: TrialFacts,
): Promise<TriedImports> {
  const tried: TriedImports = { actions: [], unchanged: [], undone: [], refused: [] };
  const at = new Map(facts.directories.map((directory) => [directory.path, directory]));
  for (const action of actions) {
    if (action.kind === "refuse") {
      tried.refused.push(action);
      continue;
    }
    const place = (action.kind === "create" ? undefined : action.strayPath) ?? action.path;
    try {
      const effect = await effectOf(app, mirror, action, at.get(place)!, facts);
      if (effect === "change") tried.actions.push(action);
      else tried.unchanged.push(action);
      if (effect === "undone") tried.undone.push(place);
    } catch (error) {
      const refusal = refusalOf(app, error, place);
      if (!refusal) throw error;
      const skillId = action.kind === "create" ? undefined : action.skillId;
      tried.refused.push({ ...refusal, path: place, skillId });
    }
  }
  return tried;
}

/** Throws the error with which the import would be refused. */
async function effectOf(
  app: App,
  mirror: Mirror,
  action: PlannedImport,
  directory: RemoteSkill,
  { skills, bases, tree }: TrialFacts,
): Promise<"change" | "none" | "undone"> {
  if (action.kind === "adopt") return "change";
  if (action.kind === "create") {
    const there = action.there === undefined ? undefined : skills.get(action.there);
    const type = directory.rootFile === "RULE.md" ? "rule" : "skill";
    const segments = directory.path.split("/").slice(1);
    const isThere = await withSource({ app, mirror }, directory, undefined, async (source) => {
      if (there?.type === type && (await source.equals(there.current, there))) return true;
      await source.tree({ slug: slugOfSkill(segments.at(-1)!), type }, source.defaults.description ?? "");
      return false;
    });
    if (!isThere) checkImportedFolder(tree, segments);
    return isThere ? "none" : "change";
  }
  const skill = await app.storage.skills.find(action.skillId);
  if (!skill) return "none";
  refuseOtherType(directory, skill);
  if (await isHeaderOnly({ app, mirror }, directory, skill)) return "none";
  const base = bases.get(skill._id);
  const isTaken = async (source: VersionSource) =>
    (await findImportedVersion({ app }, skills.get(skill._id)!, source, base)) !== undefined;
  const isFormerText = skill.current.format === "package" && (await wasText({ app }, base));
  if (isFormerText && (await withSource({ app, mirror }, directory, "markdown", isTaken))) return "none";
  return withSource({ app, mirror }, directory, skill.current.format, async (source) => {
    if (await isTaken(source)) return "none";
    if (await source.equals(skill.current, skill)) return "undone";
    await source.tree(skill, source.defaults.description ?? skill.description);
    await checkSourceContent(app, skill, source);
    return "change";
  });
}
