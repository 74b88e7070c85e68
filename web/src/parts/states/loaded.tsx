import type { ComponentType, ReactNode } from "react";
import { Problem } from "./problem.tsx";
import { SkeletonRows } from "./skeleton-rows.tsx";

interface Props<T> {
  /** The query that reads the content. */
  found: { data?: T; error: unknown; isPending: boolean; refetch(): unknown };
  /** Rows of the placeholder, and the height of each in pixels. */
  rows?: number;
  rowHeight?: number;
  /** Shows why the content could not be read. */
  Failure?: ComponentType<{ error: unknown; retry: () => void }>;
  children: (data: T) => ReactNode;
}

/** Content that is read first. What was read stays when a later request fails. */
export function Loaded<T>({ found, rows, rowHeight, Failure = Problem, children }: Props<T>) {
  return (
    <>
      {found.isPending && <SkeletonRows rows={rows} height={rowHeight} />}
      <Failure error={found.error} retry={() => void found.refetch()} />
      {found.data !== undefined && children(found.data)}
    </>
  );
}
