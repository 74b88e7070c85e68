/** Plan for a directory that belongs to no skill: a new skill, or one that the service already has. */
import { wasProposed, type ImportSides } from "./import/import-sides.ts";
import { planClaimed } from "./plan-existing.ts";
import type { ImportAction, PlatformSkill, RemoteDirectory } from "./plan-types.ts";

/** `after`: the deleted skill that the directory was. */
export async function planNew(
  sides: ImportSides,
  directory: RemoteDirectory,
  after?: string,
): Promise<ImportAction | undefined> {
  const { baseOf, skillAt, alive, ask } = sides;
  const { path, contentTree, svcId = "" } = directory;
  if (after !== undefined)
    return wasProposed(sides, after, contentTree)
      ? { kind: "adopt", skillId: after, path, contentTree }
      : { kind: "create", path, contentTree, after };
  const proposed = directory.svcId === undefined ? await findProposed(sides, directory) : undefined;
  if (proposed) return planClaimed(sides, directory, proposed);
  // A proposed new skill that was deleted here while it was being merged there.
  if (!alive.has(svcId) && !baseOf.has(svcId) && wasProposed(sides, svcId, contentTree, path))
    return { kind: "adopt", skillId: svcId, path, contentTree };
  // Created by an import whose sync state was lost, or created on both sides.
  const there = skillAt.get(path);
  // A proposed move that was merged without the removal of the old path: the rest of it is proposed again.
  if (there && baseOf.has(there.id) && wasProposed(sides, there.id, contentTree, path)) return undefined;
  if (there && baseOf.has(there.id))
    return findNumbered(sides, directory) ?? { kind: "create", path, contentTree };
  if (!there) return { kind: "create", path, contentTree };
  if ((await ask.exported(there.id)).contentTree === contentTree)
    return { kind: "adopt", skillId: there.id, path, contentTree };
  return { kind: "create", path, contentTree, there: there.id };
}

/**
 * The new skill that was proposed for this path and was merged without its `.svc.json`. If the branch has merged
 * nothing, a directory with other content is a skill of its own.
 */
async function findProposed(
  sides: ImportSides,
  { path, contentTree }: RemoteDirectory,
): Promise<PlatformSkill | undefined> {
  const { skillAt, baseOf, named, proposals } = sides;
  const skill = skillAt.get(path);
  if (!skill || baseOf.has(skill.id) || named.has(skill.id)) return undefined;
  if (!proposals.of(skill.id).some((one) => one.path === path)) return undefined;
  return wasProposed(sides, skill.id, contentTree) || (await proposals.areMerged()) ? skill : undefined;
}

/**
 * The skill with a numbered slug that a directory became, since its path is that of another skill, while the
 * directory could not be removed yet: it must not become a further skill with every sync.
 */
function findNumbered(
  { bases, alive }: ImportSides,
  { path, contentTree }: RemoteDirectory,
): ImportAction | undefined {
  const numbered = bases.find(
    (base) =>
      base.contentTree === contentTree &&
      alive.has(base.skillId) &&
      isNumbered(alive.get(base.skillId)!.path, path),
  );
  if (!numbered) return undefined;
  return { kind: "adopt", skillId: numbered.skillId, path: numbered.path, contentTree, strayPath: path };
}

const isNumbered = (path: string, of: string) =>
  path.startsWith(`${of}-`) && /^\d+$/.test(path.slice(of.length + 1));
