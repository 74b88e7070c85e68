import { FileWarning } from "lucide-react";
import { countText } from "../../../../contract/text/count-text.ts";
import type { SyncState } from "../../api/organization/sync.ts";
import { iconProps } from "../../parts/icon.ts";
import { Time } from "../../parts/text/time.tsx";

/** Skills and directories that could not be synced. All others are in step. */
export function SkillProblems({ problems }: { problems: SyncState["skillProblems"] }) {
  if (problems.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="sync-problems">
      <header>
        <h2 id="sync-problems" className="grow">
          {countText(problems.length, "directory", "directories")} could not be synced
        </h2>
      </header>
      <ul className="sync-problems">
        {problems.map(({ path, problem }) => (
          <li key={`${path} ${problem.code}`}>
            <FileWarning {...iconProps} />
            <div>
              <b className="mono">{path}</b>
              <p>{problem.message}</p>
            </div>
            {problem.at !== "" && <Time value={problem.at} className="meta nowrap" />}
          </li>
        ))}
      </ul>
    </section>
  );
}
