import { useQuery } from "@tanstack/react-query";
import { latestVersionsQuery } from "../../../api/skills/skills.ts";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

/** The latest versions with their messages. */
export function Versions({ skillRef, address }: { skillRef: string; address: string }) {
  const { data: versions = [] } = useQuery(latestVersionsQuery(skillRef));
  if (versions.length === 0) return null;
  return (
    <section>
      <div className="row between">
        <h3>Latest versions</h3>
        <a className="meta" href={`${address}/versions`}>
          All versions
        </a>
      </div>
      <ul className="files">
        {versions.map(({ id, semver, message, createdAt }) => (
          <li key={id} className="row">
            <span className="mono">{semver}</span>
            <span className="sub grow clip">{visibleText(message)}</span>
            <Time value={createdAt} className="meta" />
          </li>
        ))}
      </ul>
    </section>
  );
}
