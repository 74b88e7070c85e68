import type { Schemas } from "../../../api/client.ts";

type Analytics = Schemas["SkillAnalytics"];

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
