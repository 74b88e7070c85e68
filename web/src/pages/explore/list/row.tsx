import { TriangleAlert } from "lucide-react";
import { memo } from "react";
import { countText, numberText } from "../../../../../contract/text/count-text.ts";
import type { SearchHit } from "../../../api/search.ts";
import { Sparkline } from "../../../parts/charts/sparkline.tsx";
import { DeprecatedBadge } from "../../../parts/deprecated-badge.tsx";
import { MarkedText } from "../../../parts/text/marked-text.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

interface Props {
  hit: SearchHit;
  index: number;
  /** Distance from the top of the list, and height, in pixels. */
  top: number;
  height: number;
  isChosen: boolean;
  /** Whether a line has too little room for a whole sentence. */
  isNarrow: boolean;
  onChoose: (index: number, event: React.MouseEvent) => void;
}

/** One skill, with the sentence that answers the query. Memoized: moving the choice draws two rows, not thirty. */
export const Row = memo(function Row({ hit, index, top, height, isChosen, isNarrow, onChoose }: Props) {
  const { skill, sentence, trend, downloads30Days } = hit;
  return (
    <div
      id={`row-${index}`}
      className="item"
      role="option"
      aria-selected={isChosen}
      aria-posinset={index + 1}
      aria-setsize={-1}
      style={{ transform: `translateY(${top}px)`, height }}
      onClick={(event) => onChoose(index, event)}
    >
      <div className="clip">
        <div className="name clip">
          <span className="owner">{skill.tenantSlug}/</span>
          <b>{skill.slug}</b> <span className="mono dim">{skill.currentSemver}</span>
          {skill.type === "rule" && <span className="badge">rule</span>}
          <DeprecatedBadge message={skill.deprecated} />
          <ToReview hit={hit} />
        </div>
        <p className="about sub">
          {sentence ? (
            <MarkedText {...(isNarrow ? startNearMark(sentence) : sentence)} />
          ) : (
            visibleText(skill.description)
          )}
        </p>
        <p className="only-on-phones meta">
          {downloads30Days !== undefined && `${countText(downloads30Days, "download")} in 30 days · `}
          <Time value={skill.updatedAt} />
        </p>
      </div>
      <div className="trend">{trend && downloads30Days !== 0 && <Sparkline values={trend} />}</div>
      <div className="figure">
        {downloads30Days !== undefined && (
          <>
            {numberText(downloads30Days)}
            <span className="visually-hidden">
              {downloads30Days === 1 ? " download in" : " downloads in"}
            </span>
            <div className="meta">30 days</div>
          </>
        )}
      </div>
      <Time value={skill.updatedAt} className="figure meta" />
    </div>
  );
});

/** Offset up to which a mark is visible on a narrow line, and the characters that are kept before a later one. */
const visibleChars = 52;
const keptChars = 24;

/** The sentence from a word shortly before its first mark, if that would be cut off. */
function startNearMark({ text, marks }: NonNullable<SearchHit["sentence"]>) {
  const [start = 0, end = 0] = marks[0] ?? [];
  if (end <= visibleChars) return { text, marks };
  const from = text.indexOf(" ", start - keptChars) + 1;
  if (from === 0 || from > start) return { text, marks };
  const shift = from - 2;
  return {
    text: `… ${text.slice(from)}`,
    marks: marks.map(([begin, stop]): [number, number] => [begin - shift, stop - shift]),
  };
}

/** Findings that a member has not reviewed yet. */
export function ToReview({ hit: { skill } }: { hit: SearchHit }) {
  const { findings } = skill;
  if (!findings || findings.toReview === 0) return null;
  return (
    <span className={findings.errors > 0 ? "badge danger" : "badge warn"}>
      <TriangleAlert size={12} aria-hidden="true" /> {findings.toReview} to review
    </span>
  );
}
