import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { effectsOf, isScript } from "../../../../../contract/checks/script-effects.ts";
import { countText } from "../../../../../contract/text/count-text.ts";
import { estimateTokens } from "../../../../../contract/text/estimate-tokens.ts";
import { listText } from "../../../../../contract/text/list-text.ts";
import type { Schemas } from "../../../api/client.ts";
import { versionQuery, type Skill } from "../../../api/skills/skills.ts";
import { type Diff } from "../../../api/skills/versions.ts";
import { CiRun } from "../../../parts/ci/ci-run.tsx";
import { Count } from "../../../parts/diff/diff-row.tsx";
import { countsOf } from "../../../parts/diff/rows.ts";
import { Words } from "../../../parts/diff/words.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { readFrontmatter } from "../readme/read-frontmatter.ts";
import { mainFileQuery } from "./main-file.ts";

interface Props {
  skill: Skill;
  diff: Diff;
  from: string | undefined;
  to: string;
  counts: Schemas["FindingCounts"] | undefined;
}

/** Size of the change, change of the description that agents match, cost before and after, findings. */
export function Facts({ skill, diff, from, to, counts }: Props) {
  const before = useText(skill, from);
  const after = useText(skill, to);
  const total = diff.files.map(countsOf);
  const added = total.reduce((sum, one) => sum + one.added, 0);
  const removed = total.reduce((sum, one) => sum + one.removed, 0);
  const isChanged = before && after && before.description !== after.description;
  return (
    <>
      <dl className="change-facts">
        <div>
          <dt className="meta">Size of the change</dt>
          <dd>
            {countText(diff.files.length, "file")} <Count added={added} removed={removed} />
          </dd>
        </div>
        {from === undefined && after && (
          <div>
            <dt className="meta">Cost when used</dt>
            <dd>about {countText(after.tokens, "token")}</dd>
          </div>
        )}
        {before && after && (
          <>
            <div>
              <dt className="meta">What agents match on</dt>
              <dd>{isChanged ? "The description changed" : "The description is the same"}</dd>
            </div>
            <div>
              <dt className="meta">Cost when used</dt>
              <dd>
                about {before.tokens.toLocaleString("en")} to {after.tokens.toLocaleString("en")} tokens
              </dd>
            </div>
          </>
        )}
        <RunFact semver={to} />
        {counts && (
          <div>
            <dt className="meta">Findings in {to}</dt>
            <dd>{counts.toReview === 0 ? "None to review" : `${counts.toReview} to review`}</dd>
          </div>
        )}
      </dl>
      {isChanged && (
        <div className="description-change">
          <h2>Description</h2>
          <p>
            <span className="visually-hidden">Before: </span>
            <ChangedText kind="del" text={before.description} pair={after.description} />
          </p>
          <p>
            <span className="visually-hidden">After: </span>
            <ChangedText kind="add" text={after.description} pair={before.description} />
          </p>
        </div>
      )}
      <ScriptNotes diff={diff} />
    </>
  );
}

/** A description with the words marked that the other version does not have. */
function ChangedText({ kind, text, pair }: { kind: "add" | "del"; text: string; pair: string }) {
  if (text === "") return <span className="meta">none</span>;
  const line = { kind, text, pair, old: undefined, now: undefined, isUnterminated: false };
  return <Words line={line} highlight={plain} />;
}

const plain = () => undefined;

/** Scripts whose added lines start programs, read secrets or call the network. */
function ScriptNotes({ diff: { files } }: { diff: Diff }) {
  const notes = files.flatMap(({ path, status, hunks }) => {
    const added = hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith("+")));
    const lines = added.map((line) => line.slice(1));
    const effects = isScript(path, lines[0]) ? effectsOf(lines) : [];
    return effects.length > 0 ? [{ path, status, effects }] : [];
  });
  return notes.map(({ path, status, effects }) => (
    <p key={path} className="note warn">
      <TriangleAlert className="icon" aria-hidden="true" />
      <span>
        {status === "added" ? "The new script " : "What was added to "}
        <code className="mono">{visibleText(path)}</code> {listText(effects)}. Read it before you use this
        version.
      </span>
    </p>
  ));
}

/** The CI run that published the later version. */
function RunFact({ semver }: { semver: string }) {
  const { ref } = useSkillAddress();
  const { data } = useQuery(versionQuery(ref, semver));
  if (!data?.origin) return null;
  return (
    <div>
      <dt className="meta">Origin of {semver}</dt>
      <dd>
        <CiRun origin={data.origin} />
      </dd>
    </div>
  );
}

/** Description and estimated cost of a version, from its main file; undefined until they are known. */
function useText(skill: Skill, semver: string | undefined) {
  const { ref } = useSkillAddress();
  const { data } = useQuery({
    ...mainFileQuery(ref, skill, semver ?? ""),
    enabled: semver !== undefined,
  });
  if (!data?.isWhole || data.text === undefined) return undefined;
  const { fields } = readFrontmatter(data.text);
  return {
    description: fields.find(([name]) => name === "description")?.[1] ?? "",
    tokens: estimateTokens(data.text),
  };
}
