import { Button } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { freeSlug, reservedSlugsQuery, type ReservedSlug } from "../../api/organization/reserved-slugs.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Time } from "../../parts/text/time.tsx";

/** The slugs that no new skill of the organization gets, for its owners. */
export function ReservedSlugs({ slug }: { slug: string }) {
  const client = useQueryClient();
  const query = reservedSlugsQuery(slug);
  const found = useInfiniteQuery(query);
  const [freeing, setFreeing] = useState<ReservedSlug>();
  return (
    <section className="stack gap-3" style={{ maxWidth: 520 }} aria-labelledby="reserved-slugs-heading">
      <h2 id="reserved-slugs-heading">Reserved slugs</h2>
      <p className="sub">
        Previous slugs lead to their skills. Those of deleted skills stay reserved for 30 days, so that
        nothing else takes their place unnoticed.
      </p>
      <Loaded found={found} rows={1}>
        {({ pages }) => (
          <List rows={pages.flatMap(({ data }) => data)} org={slug} onFree={(row) => setFreeing(row)} />
        )}
      </Loaded>
      {found.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {freeing && (
        <ConfirmDialog
          title={`Free ${freeing.slug}`}
          action="Free"
          isDangerous
          run={async () => {
            await freeSlug(slug, freeing.slug);
            await client.invalidateQueries({ queryKey: query.queryKey });
          }}
          onClose={() => setFreeing(undefined)}
        >
          <p>
            Any member can then give this slug to a new skill, and installs that still use the slug get that
            skill. This can't be undone.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

interface ListProps {
  rows: ReservedSlug[];
  org: string;
  onFree: (row: ReservedSlug) => void;
}

function List({ rows, org, onFree }: ListProps) {
  if (rows.length === 0) return <p className="sub">No slug is reserved.</p>;
  return (
    <ul className="panel lines" aria-label="Reserved slugs">
      {rows.map((row) => (
        <li key={row.id} className="row">
          <div className="clip grow">
            <b className="mono">{row.slug}</b>
            <div className="meta">
              {row.skill && (
                <>
                  leads to <a href={`/${org}/${row.skill.slug}`}>{row.skill.slug}</a>, renamed{" "}
                  <Time value={row.since} />
                </>
              )}
              {!row.skill && row.until !== undefined && (
                <>
                  deleted <Time value={row.since} />, reserved until <Time value={row.until} />
                </>
              )}
            </div>
          </div>
          <Button variant="default" size="xs" aria-label={`Free ${row.slug}`} onClick={() => onFree(row)}>
            Free
          </Button>
        </li>
      ))}
    </ul>
  );
}
