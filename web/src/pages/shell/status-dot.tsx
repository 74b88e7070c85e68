/** Things that wait for the user on a page. */
export interface Waiting {
  tone: "warn" | "danger";
  text: string;
}

/** A dot at the link to a page, with words for assistive technology and the pointer. */
export function StatusDot({ waiting }: { waiting: Waiting | undefined }) {
  if (!waiting) return null;
  return (
    <span className={`dot ${waiting.tone}`} title={waiting.text}>
      <span className="visually-hidden">({waiting.text})</span>
    </span>
  );
}
