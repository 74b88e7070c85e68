import "../skill/compare/compare.css";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { reviewDiffQuery, type Review } from "../../api/organization/reviews.ts";
import { refOf, skillQuery } from "../../api/skills/skills.ts";
import type { LineComment } from "../../parts/diff/rows.ts";
import { Comparison } from "../skill/compare/comparison.tsx";
import { EntryText } from "./entries.tsx";
import { DraftText, LineForm } from "./line-form.tsx";

/** The changes of a version, all of its files if it is the first one, with the comments on their lines. */
export function Changes({ org, slug, review }: { org: string; slug: string; review: Review }) {
  const { follows, version, entries } = review;
  const ref = refOf({ org, slug });
  const { data: skill } = useQuery(skillQuery(ref));
  const { data: diff } = useQuery(reviewDiffQuery(ref, review));
  const [draft, setDraft] = useState<{ path: string; line: number }>();
  const draftText = useState("");
  const [, setText] = draftText;
  const onComment = useCallback((path: string, line: number) => setDraft({ path, line }), []);
  const comments = useMemo((): LineComment[] => {
    const said = entries.flatMap(({ id, path, line, ...entry }) =>
      path === undefined ? [] : [{ id, path, line, content: <EntryText entry={entry} /> }],
    );
    if (!draft) return said;
    const close = () => {
      setDraft(undefined);
      setText("");
    };
    const form = <LineForm skillRef={ref} review={review} {...draft} onClose={close} />;
    return [...said, { id: "draft", ...draft, content: form }];
  }, [entries, draft, ref, review, setText]);
  return (
    <>
      {!follows && <p>There is no released version to compare it with: all of its files are new.</p>}
      <div className="review-changes">
        {diff && skill && (
          <DraftText value={draftText}>
            <Comparison
              skill={skill}
              diff={diff}
              from={follows?.semver}
              to={version.semver}
              isSplit={false}
              comments={comments}
              onComment={onComment}
            />
          </DraftText>
        )}
      </div>
    </>
  );
}
