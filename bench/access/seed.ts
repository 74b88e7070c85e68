/** An organization with thousands of folders, some restricted, and many skills in them, as documents. */
import { type Database, newId } from "../../storage/database.ts";
import type { FolderDoc } from "../../storage/folders/folders.ts";
import { seedSkills } from "../http/seed.ts";

export interface SeededTree {
  /** Folders of the middle level that are restricted and grant the member. */
  granted: string[];
  /** Skills right in a granted folder, and at the root. */
  inGranted: string[];
  atRoot: string[];
}

const tops = 100;
const midsPerTop = 10;
const leavesPerMid = 9;
const grants = 200;
const restricted = 800;

/**
 * 10,100 folders three deep; 800 of the 1,000 in the middle are restricted and 200 of those grant the member. Skills
 * are spread over the leaves, a hundredth of them at the root. With `hiddenFirst` the newest ones lie where no grant
 * is.
 */
export async function seedTree(
  database: Database,
  org: { id: string; userId: string },
  count: number,
  hiddenFirst = false,
): Promise<SeededTree> {
  const now = new Date();
  const rows: FolderDoc[] = [];
  const granted: string[] = [];
  const leaves: { id: string; governing: string | null; isHidden: boolean }[] = [];
  const add = (parentId: string | null, slug: string, fields: Partial<FolderDoc> = {}) => {
    const row: FolderDoc = {
      _id: newId(),
      tenantId: org.id,
      parentId,
      slug,
      name: slug,
      restricted: false,
      grants: [],
      revision: 1,
      createdBy: org.userId,
      createdAt: now,
      updatedAt: now,
      ...fields,
    };
    rows.push(row);
    return row._id;
  };
  for (let top = 0; top < tops; top++) {
    const topId = add(null, `top-${top}`);
    for (let mid = 0; mid < midsPerTop; mid++) {
      const index = top * midsPerTop + mid;
      const isRestricted = index % 10 < (restricted / (tops * midsPerTop)) * 10;
      const isGranted = isRestricted && granted.length < grants && index % 4 === 0;
      const grant = { type: "member", id: org.userId, level: "viewer" } as const;
      const midId = add(topId, `mid-${mid}`, {
        restricted: isRestricted,
        grants: isGranted ? [grant] : [],
      });
      if (isGranted) granted.push(midId);
      for (let leaf = 0; leaf < leavesPerMid; leaf++)
        leaves.push({
          id: add(midId, `leaf-${leaf}`),
          governing: isRestricted ? midId : null,
          isHidden: isRestricted && !isGranted,
        });
    }
  }
  for (let from = 0; from < rows.length; from += 1000)
    await database.collection<FolderDoc>("folders").insertMany(rows.slice(from, from + 1000));
  await database
    .collection<{ _id: string; revision: number }>("folder_trees")
    .insertOne({ _id: org.id, revision: 1 });

  const ordered = hiddenFirst ? leaves.toSorted((a, b) => Number(b.isHidden) - Number(a.isHidden)) : leaves;
  const tree: SeededTree = { granted, inGranted: [], atRoot: [] };
  const isGranted = new Set(granted);
  await seedSkills(database, org, count, (n, id) => {
    const leaf =
      ordered[hiddenFirst ? Math.floor((n / count) * ordered.length) : (n * 7919) % ordered.length]!;
    const isAtRoot = n % 100 === 0;
    if (isAtRoot) tree.atRoot.push(id);
    else if (leaf.governing && isGranted.has(leaf.governing)) tree.inGranted.push(id);
    return isAtRoot ? {} : { folderId: leaf.id, effectiveRestrictionId: leaf.governing, listed: false };
  });
  return tree;
}
