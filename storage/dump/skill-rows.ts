/**
 * Rows that are derived from skills. An export of a database in use reads them after their skill, so some of them may
 * be newer than it. These are not in the export, and are dropped from exports that contain them: they describe versions
 * that don't exist in the imported database, and would take their numbers.
 */
import type { Document } from "mongodb";
import type { Database } from "../database.ts";
import type { SkillDoc } from "../skills/skills.ts";

type State = Pick<SkillDoc, "_id" | "head" | "revision">;

interface SkillRows {
  collection: string;
  /** Field with the skill's id. */
  key: "_id" | "skillId";
  isNewer(row: Document, skill: State): boolean;
  /** Set if rows outlast their skill. */
  outlastsSkill?: true;
}

export const skillRows: readonly SkillRows[] = [
  {
    collection: "versions",
    key: "skillId",
    isNewer: (row, skill) => (row["version"] as number) > skill.head.version,
  },
  // A manifest is written before its version exists, so every version of the export has one.
  { collection: "manifests", key: "skillId", isNewer: () => false },
  {
    collection: "package_digests",
    key: "skillId",
    isNewer: (row, skill) => (row["version"] as number) > skill.head.version,
  },
  {
    collection: "search_entries",
    key: "_id",
    isNewer: (row, skill) => (row["revision"] as number) > skill.revision,
  },
  // Without its merge base, an edit of the repository is imported; with a newer one, it would be overwritten.
  {
    collection: "sync_bases",
    key: "skillId",
    isNewer: (row, skill) => (row["skillRevision"] as number) > skill.revision,
    outlastsSkill: true,
  },
];

/** The rows of a collection that are not newer than their skills in the database. */
export async function withoutNewer(database: Database, name: string, rows: Document[]): Promise<Document[]> {
  const kind = skillRows.find((one) => one.collection === name);
  if (!kind) return rows;
  const ids = [...new Set(rows.map((row) => row[kind.key] as string))];
  const skills = await database
    .collection<SkillDoc>("skills")
    .find({ _id: { $in: ids } }, { projection: { "head.version": 1, revision: 1 } })
    .toArray();
  const byId = new Map(skills.map((skill) => [skill._id, skill]));
  return rows.filter((row) => {
    const skill = byId.get(row[kind.key] as string);
    return skill ? !kind.isNewer(row, skill) : kind.outlastsSkill;
  });
}
