import type { SearchPage } from "../../../api/search.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";

interface Props {
  page: SearchPage;
  onCompare: () => void;
}

/** Remarks on the hits: a corrected word, hits that match badly, two that compete. */
export function Notes({ page, onCompare }: Props) {
  const { searchedFor = [], confidence, competing, data } = page;
  const [first, second] = data;
  return (
    <>
      {searchedFor.map(({ typed, used }) => (
        <p key={typed} className="line sub">
          Searched for <b>{visibleText(used)}</b> instead of <s>{visibleText(typed)}</s>.
        </p>
      ))}
      {confidence === "low" && (
        <p className="line warn">No skill matches well. These are the nearest ones:</p>
      )}
      {competing && first && second && (
        <p className="line sub">
          Two skills compete for this: <b>{first.skill.slug}</b> and <b>{second.skill.slug}</b>.{" "}
          <button type="button" className="link-button" onClick={onCompare}>
            Compare their descriptions
          </button>
        </p>
      )}
    </>
  );
}
