import { CircleX, CircleCheck, TriangleAlert } from "lucide-react";
import { countText } from "../../../../contract/text/count-text.ts";
import type { Problem } from "./checks.ts";
import type { KeyAtCursor } from "./code/frontmatter-keys.ts";

/** Problems that are listed: a long text may have thousands. */
const listed = 100;

interface Props {
  problems: readonly Problem[];
  onGoTo: (problem: Problem) => void;
}

export function ChecksPanel({ problems, onGoTo }: Props) {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  return (
    <section className="checks" aria-label="Checks">
      <header>
        <h2>Checks</h2>
        <span className="row" aria-live="polite">
          {problems.length === 0 && (
            <span className="row ok">
              <CircleCheck size={14} /> No problems
            </span>
          )}
          {errors > 0 && (
            <span className="row danger">
              <CircleX size={14} /> {countText(errors, "stops", "stop")} publishing
            </span>
          )}
          {warnings > 0 && (
            <span className="row warn">
              <TriangleAlert size={14} /> {countText(warnings, "warning")}
            </span>
          )}
        </span>
        <span className="grow" />
        <span className="meta hidden-on-phones">
          <kbd className="kbd">F8</kbd> next
        </span>
      </header>
      {problems.length > 0 && (
        <ul>
          {problems.slice(0, listed).map((problem) => (
            <li key={`${problem.path}:${problem.line}:${problem.message}`}>
              <button type="button" onClick={() => onGoTo(problem)}>
                {problem.severity === "error" ? (
                  <CircleX size={14} className="danger" aria-label="Error" />
                ) : (
                  <TriangleAlert size={14} className="warn" aria-label="Warning" />
                )}
                <span>{problem.message}</span>
                <span className="meta mono">
                  {problem.path}
                  {problem.path !== undefined && `:${problem.line}`}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Help for the key at the cursor, in a row of its own, so that no line moves under the pointer. */
export function KeyHelpRow({ help }: { help: KeyAtCursor | undefined }) {
  return (
    <div className="help">
      {help ? (
        <>
          <b className="mono">{help.key}</b>
          <span className="clip" title={help.text}>
            {help.text}
          </span>
          {help.limit !== undefined && (
            <span className={help.length > help.limit ? "warn" : "meta"}>
              {help.length.toLocaleString("en")} of {help.limit.toLocaleString("en")}
            </span>
          )}
        </>
      ) : (
        <span className="meta clip">Put the cursor on a key of the frontmatter for help with it.</span>
      )}
    </div>
  );
}
