import type { Database } from "../../database.ts";

interface ReleasedVersion {
  skillId: string;
  version: number;
  override: { verdict: string };
}

/** Records in the marks of skills which versions a person has released against their scans. */
export async function noteOverrides(database: Database): Promise<void> {
  const skills = database.raw.collection<{ _id: string }>("skills");
  const scans = database.raw.collection<ReleasedVersion>("version_scans");
  for await (const { skillId, version, override } of scans.find({ override: { $exists: true } }))
    await skills.updateOne(
      { _id: skillId, marks: { $elemMatch: { version } } },
      { $set: { "marks.$.accepted": override.verdict } },
    );
}
