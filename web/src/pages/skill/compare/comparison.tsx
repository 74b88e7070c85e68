import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { fileQuery, type Skill } from "../../../api/skills/skills.ts";
import { findingsQuery, reviewFinding, type Diff, type Finding } from "../../../api/skills/versions.ts";
import { DiffRows, type DiffHandle } from "../../../parts/diff/diff-rows.tsx";
import type { OnComment } from "../../../parts/diff/line-row.tsx";
import type { LineComment } from "../../../parts/diff/rows.ts";
import { useKeys } from "../../../parts/keys.ts";
import { Empty } from "../../../parts/states/empty.tsx";
import { useRights, useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";
import { ChangedFiles } from "./changed-files.tsx";
import { Ends } from "./ends.tsx";
import { Facts } from "./facts.tsx";
import { useViewed } from "./viewed.ts";

interface Props {
  skill: Skill;
  diff: Diff;
  /** Undefined for a version of which everything is new. */
  from: string | undefined;
  to: string;
  isSplit: boolean;
  /** Comments of reviewers, below the lines that they are about. */
  comments?: readonly LineComment[];
  onComment?: OnComment;
}

const none: Finding[] = [];

/** Two versions of a skill: the facts that a reviewer asks for first, then the changed lines. */
export function Comparison({ skill, diff, from, to, isSplit, comments, onComment }: Props) {
  const { ref } = useSkillAddress();
  const { isMember, canUpdate } = useRights();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRef<DiffHandle>(null);
  const [file, setFile] = useState(0);
  const { data: found } = useQuery({ ...findingsQuery(ref, to), enabled: isMember, retry: false });
  const changed = useChanged(ref);
  const review = useCallback(
    (finding: Finding) => void reviewFinding(ref, finding.id, to, true).then(changed, changed),
    [ref, to, changed],
  );
  const client = useQueryClient();
  const readLines = useCallback(
    async (path: string) => {
      const { text } = await client.ensureQueryData(fileQuery(ref, path, to));
      if (text === undefined) throw new Error("not text");
      return text.replace(/\n$/, "").split("\n");
    },
    [client, ref, to],
  );
  const getScroller = useCallback(() => scroller.current, []);
  const findings = found?.findings ?? none;
  const viewed = useViewed(skill.id, from ?? "", to);
  const inView = diff.files[file]?.path;
  useKeys({
    n: () => rows.current?.moveChange(1),
    p: () => rows.current?.moveChange(-1),
    v: () => inView !== undefined && viewed.mark(inView, !viewed.has(inView)),
  });
  return (
    <div className="comparison">
      <ChangedFiles
        diff={diff}
        chosen={file}
        to={to}
        findings={findings}
        viewed={viewed}
        onChoose={(index) => rows.current?.showFile(index)}
        onFinding={(id) => rows.current?.showFinding(id) === true}
      />
      <div className="changes" ref={scroller} role="region" aria-label="Changes" tabIndex={0}>
        <h1 className="visually-hidden">
          {from === undefined
            ? `Files of version ${to} of ${skill.slug}`
            : `Compare versions ${from} and ${to} of ${skill.slug}`}
        </h1>
        {from !== undefined && <Ends from={from} to={to} />}
        <Facts skill={skill} diff={diff} from={from} to={to} counts={found?.counts} />
        {diff.files.length === 0 ? (
          <Empty title="The two versions have the same content" />
        ) : (
          <DiffRows
            diff={diff}
            isSplit={isSplit}
            findings={findings}
            onReview={canUpdate ? review : undefined}
            comments={comments}
            onComment={onComment}
            viewed={viewed}
            handle={rows}
            scroller={getScroller}
            onFile={setFile}
            readLines={readLines}
          />
        )}
      </div>
    </div>
  );
}
