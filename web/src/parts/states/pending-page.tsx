import { ConnectionBar } from "../../connection/connection-bar.tsx";
import { SkeletonRows } from "./skeleton-rows.tsx";

/** The first page of a visit while its data is on the way. */
export function PendingPage() {
  return (
    <>
      <header className="top-bar" />
      <ConnectionBar />
      <main id="main" className="body" tabIndex={-1}>
        <SkeletonRows />
      </main>
    </>
  );
}
