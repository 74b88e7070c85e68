/** Downloads of a skill by day, source and version. */
import type { SkillAnalyticsPayload } from "../../../contract/payloads/usage/analytics.ts";
import type { Actor } from "../../access/actor.ts";
import { dayBefore, firstDay, presentDownloads } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { loadSkill } from "../load.ts";
import { unseenVersions } from "../marks/marks.ts";

/** Versions in a response. */
const listedVersions = 50;

/** Requires `analytics:read`. */
export async function readSkillAnalytics(
  app: App,
  actor: Actor,
  ref: string,
  days: number,
): Promise<SkillAnalyticsPayload> {
  const skill = await loadSkill(app, actor, ref, "analytics:read");
  const stored = await app.storage.downloads.listOfSkill(skill._id, firstDay(app, days));
  const since = dayBefore(app, days - 1);
  const counts = new Map<string, number>();
  for (const { versions = {} } of stored.filter(({ date }) => date >= since))
    for (const [id, count] of Object.entries(versions)) counts.set(id, (counts.get(id) ?? 0) + count);
  const top = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, listedVersions);
  const rows = await app.storage.versions.listByIds(
    skill._id,
    top.map(([id]) => id),
  );
  const unseen = unseenVersions(skill);
  const seen = [...rows, ...skill.pending].filter(({ version }) => !unseen.includes(version));
  const byId = new Map(seen.map((row) => [row._id, row]));
  return {
    ...presentDownloads(app, skill.downloads, stored, days),
    versions: top.flatMap(([id, downloads]) => {
      const row = byId.get(id);
      return row ? [{ version: row.version, semver: row.semver, downloads }] : [];
    }),
  };
}
