import { Skeleton } from "@mantine/core";

/** Placeholder of a list that is loading, in the height of its rows. */
export function SkeletonRows({ rows = 8, height = 58 }: { rows?: number; height?: number }) {
  return (
    <div role="status" aria-label="Loading" style={{ padding: "0 16px" }}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} style={{ height, paddingTop: 12 }}>
          <Skeleton height={12} width="38%" mb={8} />
          <Skeleton height={10} width="72%" />
        </div>
      ))}
    </div>
  );
}

/** A page whose content is loading, below its heading. */
export const WaitingPage = ({ heading }: { heading: string }) => (
  <div className="page stack gap-4">
    <h1>{heading}</h1>
    <SkeletonRows />
  </div>
);
