import type { ReactNode } from "react";

/** The content of a list that has no items: one sentence, and at most one action with its command. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="page stack g3" style={{ maxWidth: 560 }}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
