import type { Schemas } from "../../../api/client.ts";

type Analytics = Schemas["SkillAnalytics"];

/** Downloads by day, newest first. */
export function DailyTable({ daily }: { daily: Analytics["daily"] }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Downloads by day">
      <table className="tbl">
        <caption className="sr">Downloads by day and source</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col" className="right">
              CLI
            </th>
            <th scope="col" className="right">
              Web
            </th>
            <th scope="col" className="right">
              API
            </th>
          </tr>
        </thead>
        <tbody>
          {daily.toReversed().map(({ date, cli, web, api }) => (
            <tr key={date}>
              <td>{date}</td>
              <td className="right">{cli.toLocaleString("en")}</td>
              <td className="right">{web.toLocaleString("en")}</td>
              <td className="right">{api.toLocaleString("en")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The versions that were downloaded most. */
export function VersionTable({ versions, days }: { versions: Analytics["versions"]; days: number }) {
  return (
    <div className="panel">
      <header>
        <h2>By version</h2>
        <span className="meta">last {days} days</span>
      </header>
      <table className="tbl">
        <caption className="sr">Downloads by version in the last {days} days</caption>
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col" className="right">
              Downloads
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map(({ version, semver, downloads }) => (
            <tr key={version}>
              <td className="mono">{semver}</td>
              <td className="right">{downloads.toLocaleString("en")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
