import { TriangleAlert } from "lucide-react";
import { visibleText } from "./text/visible-text.ts";

/** Marks a skill or version whose publishers advise against it. Without a message, there is no badge. */
export function DeprecatedBadge({ message }: { message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <span className="badge warn" title={visibleText(message)}>
      <TriangleAlert size={12} aria-hidden="true" /> deprecated
    </span>
  );
}
