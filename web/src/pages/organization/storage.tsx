import { Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { numberText } from "../../../../contract/text/count-text.ts";
import { bytesText } from "../../../../contract/text/size-text.ts";
import type { Schemas } from "../../api/client.ts";
import { storageQuery } from "../../api/organization/organizations.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Time } from "../../parts/text/time.tsx";

/** The storage that an organization uses, and its limit. */
export function Storage({ slug }: { slug: string }) {
  const found = useQuery(storageQuery(slug));
  return (
    <section className="stack gap-3" style={{ maxWidth: 520 }} aria-labelledby="storage-heading">
      <h2 id="storage-heading">Storage</h2>
      <Loaded found={found} rows={1}>
        {(usage) => <Usage usage={usage} />}
      </Loaded>
    </section>
  );
}

function Usage({ usage: { bytes, countedAt, limitBytes } }: { usage: Schemas["StorageUsage"] }) {
  if (bytes === null || countedAt === null)
    return <p className="sub">Not counted yet. It is counted after a publish, and every night.</p>;
  const percent = limitBytes === null ? undefined : Math.floor((100 * bytes) / limitBytes);
  const isFull = percent !== undefined && percent >= 100;
  return (
    <>
      <p>
        {bytesText(bytes)} used
        {limitBytes !== null &&
          percent !== undefined &&
          ` of ${bytesText(limitBytes)} (${numberText(percent)} %)`}
        <span className="meta block">
          All versions of all skills. Counted <Time value={countedAt} />.
        </span>
      </p>
      {percent !== undefined && (
        <Progress.Root>
          <Progress.Section value={Math.min(percent, 100)} aria-label={`Storage: ${percent} % used`} />
        </Progress.Root>
      )}
      {percent !== undefined && percent >= 80 && (
        <p className={isFull ? "note danger" : "note warn"} role="status">
          {isFull
            ? "New skills and versions are refused."
            : "At the limit, new skills and versions are refused."}{" "}
          Delete skills, or ask an administrator of the service for a higher limit.
        </p>
      )}
    </>
  );
}
