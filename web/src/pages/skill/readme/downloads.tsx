import { useQuery } from "@tanstack/react-query";
import { skillAnalyticsQuery } from "../../../api/skills/skills.ts";
import { Sparkline } from "../../../parts/charts/sparkline.tsx";
import { useRights, useSkillAddress } from "../context.ts";

const days = 30;
const sources = [
  { key: "cli", label: "CLI", tone: "cli" },
  { key: "web", label: "Web", tone: "web" },
  { key: "api", label: "API", tone: "api" },
] as const;

/** Downloads of the last 30 days, for those who may read them. */
export function Downloads() {
  const { org, slug, ref } = useSkillAddress();
  const { canReadAnalytics } = useRights();
  const { data } = useQuery({ ...skillAnalyticsQuery(ref, days), enabled: canReadAnalytics });
  if (!data) return null;
  const daily = data.daily.map((day) => day.cli + day.web + day.api);
  return (
    <section>
      <div className="row between">
        <h3>Downloads</h3>
        <a className="meta" href={`/${org}/${slug}/analytics`}>
          Analytics
        </a>
      </div>
      <p className="row baseline">
        <b className="total">{data.last30Days.toLocaleString("en")}</b>
        <span className="meta">last 30 days</span>
      </p>
      <Sparkline values={daily} label={`Downloads per day: ${data.last30Days} in 30 days`} />
      {data.last30Days > 0 && (
        <dl className="legend">
          {sources.map(({ key, label, tone }) => (
            <div key={key} className="row">
              <dt className="row grow">
                <span className={`dot ${tone}`} />
                {label}
              </dt>
              <dd>{data.daily.reduce((sum, day) => sum + day[key], 0).toLocaleString("en")}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
