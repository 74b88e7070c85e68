/** Downloads of the last 30 days of the skills on a page of the catalog. */
import type { CatalogItem } from "../../../contract/payloads/skills/skills.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import { dayBefore } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";

const days = 30;

type Trend = Required<Pick<CatalogItem, "downloads30Days" | "trend">>;

/** By id of the skill, from one query. */
export async function readTrends(app: App, skills: readonly SkillDoc[]): Promise<Map<string, Trend>> {
  const dates = Array.from({ length: days }, (_, index) => dayBefore(app, days - 1 - index));
  const ids = skills.map(({ _id }) => _id);
  const rows = ids.length > 0 ? await app.storage.catalog.listDaily(ids, dates[0]!) : [];
  const trends = new Map(ids.map((id) => [id, Array.from(dates, () => 0)]));
  for (const { skillId, date, cli = 0, web = 0, api = 0 } of rows) {
    const at = dates.indexOf(date);
    const trend = trends.get(skillId);
    if (trend && at >= 0) trend[at] = cli + web + api;
  }
  return new Map(
    Array.from(trends, ([id, trend]) => [id, { downloads30Days: trend.reduce((a, b) => a + b, 0), trend }]),
  );
}
