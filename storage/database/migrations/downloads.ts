import type { Database } from "../../database.ts";
import { sums } from "../../usage/downloads.ts";

/** Creates the days of organizations from those of their skills, if there are none: all of them or none. */
export async function totalDownloadsOfOrganizations(database: Database): Promise<void> {
  const ofTenants = database.raw.collection("daily_tenant_downloads");
  const daily = database.raw.collection("daily_downloads");
  if ((await ofTenants.findOne({})) !== null || (await daily.findOne({})) === null) return;
  const key = { tenantId: "$tenantId", date: "$date" };
  await daily
    .aggregate([
      { $group: { _id: key, ...sums } },
      { $set: { tenantId: "$_id.tenantId", date: "$_id.date" } },
      { $set: { _id: { $concat: ["$tenantId", ":", "$date"] } } },
      { $out: "daily_tenant_downloads" },
    ])
    .toArray();
}
