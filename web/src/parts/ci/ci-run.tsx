import type { Schemas } from "../../api/client.ts";
import { visibleText } from "../text/visible-text.ts";

/** The run of a CI pipeline: repository, ref and commit, as a link to its page. */
export function CiRun({ origin }: { origin: Schemas["CiOrigin"] }) {
  const { repository, ref, commit, workflow, runUrl } = origin;
  const text = `${repository}@${ref.replace(/^refs\/(heads|tags)\//, "")}`;
  const isLink = runUrl !== undefined && /^https?:\/\//.test(runUrl);
  return (
    <>
      {isLink ? (
        <a href={runUrl} rel="noreferrer nofollow" target="_blank" title={visibleText(workflow ?? "")}>
          {visibleText(text)}
        </a>
      ) : (
        <span>{visibleText(text)}</span>
      )}
      {commit !== undefined && <span className="mono"> {commit.slice(0, 8)}</span>}
    </>
  );
}
