import type { Database } from "../../database.ts";

/**
 * Previously, `manualWanted` was the number of the last sync that a person requested. If the deleted branch was
 * reported at that time and the sync is not done, it permits the new branch that `newBranchWanted` now permits.
 */
export async function renameManualRequests(database: Database): Promise<void> {
  const permits = {
    $and: [{ $eq: ["$problem.code", "branch_missing"] }, { $gt: ["$manualWanted", "$done"] }],
  };
  await database.raw.collection("connections").updateMany({ manualWanted: { $exists: true } }, [
    {
      $set: {
        newBranchWanted: {
          $ifNull: ["$newBranchWanted", { $cond: [permits, "$manualWanted", "$$REMOVE"] }],
        },
      },
    },
    { $unset: "manualWanted" },
  ]);
}
