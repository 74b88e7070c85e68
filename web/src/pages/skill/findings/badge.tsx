import { CircleAlert, ShieldCheck, TriangleAlert } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { Schemas } from "../../../api/client.ts";

const FindingsDialog = lazy(async () => ({ default: (await import("./dialog.tsx")).FindingsDialog }));

interface Props {
  semver: string;
  counts: Schemas["FindingCounts"];
  /** A version without findings is marked as such. */
  isShownWithout?: boolean;
}

/** Number of findings about a version; it opens their list. */
export function FindingsBadge({ semver, counts, isShownWithout = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const count = counts.errors + counts.warnings;
  if (count === 0) {
    return isShownWithout ? (
      <span className="badge ok">
        <ShieldCheck size={12} /> no findings
      </span>
    ) : null;
  }
  const tone = counts.toReview === 0 ? "" : counts.errors > 0 ? " danger" : " warn";
  const Icon = counts.errors > 0 ? CircleAlert : TriangleAlert;
  return (
    <>
      <button type="button" className={`badge badge-button${tone}`} onClick={() => setOpen(true)}>
        <Icon size={12} aria-hidden="true" /> {countText(count, "finding")}
        {counts.toReview === 0 && " reviewed"}
      </button>
      {isOpen && (
        <Suspense>
          <FindingsDialog semver={semver} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
