import type { ReactNode } from "react";

interface Props {
  title: string;
  /** The title is that of the whole page. */
  isPage?: boolean;
  children?: ReactNode;
}

/** The content of a list that has no items: one sentence, and at most one action with its command. */
export function Empty({ title, isPage = false, children }: Props) {
  return (
    <div className="page stack gap-3" style={{ maxWidth: 560 }}>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
