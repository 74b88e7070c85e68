import { markdownLimits, type Heading } from "../../../parts/markdown/render.ts";

/** Links to the headings of the text. */
export function Contents({ headings }: { headings: Heading[] }) {
  const listed = headings.slice(0, markdownLimits.contents);
  return (
    <nav className="contents" aria-label="Contents">
      <ul>
        {listed.map(({ id, text, depth }) => (
          <li key={id} className={`depth-${depth}`}>
            <a href={`#${id}`} className="clip">
              {text}
            </a>
          </li>
        ))}
      </ul>
      {headings.length > listed.length && (
        <p className="meta">and {(headings.length - listed.length).toLocaleString("en")} more headings</p>
      )}
    </nav>
  );
}
