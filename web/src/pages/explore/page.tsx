import "./explore.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { readSearch, searchQuery, type SkillSearch } from "../../api/search.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import { List } from "../../parts/lists/list-section.tsx";
import { Page } from "../../parts/page/page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import { PublishLink } from "../shell/publish-link.tsx";
import { Facets } from "./facets.tsx";
import { Notes } from "./list/notes.tsx";
import { Results } from "./list/results.tsx";
import { SearchBar } from "./search-bar.tsx";

const CompareDialog = lazy(async () => ({ default: (await import("./compare-dialog.tsx")).CompareDialog }));

export type ExploreSearch = SkillSearch & {
  /** Whether the descriptions of the first two hits are compared. */
  compare?: true;
};

export const Route = createFileRoute("/explore")({
  validateSearch: (raw: Record<string, unknown>): ExploreSearch => ({
    ...readSearch(raw),
    compare: raw["compare"] === true ? true : undefined,
  }),
  loaderDeps: ({ search }) => searchOf(search),
  loader: ({ context, deps }) => {
    void context.client.prefetchInfiniteQuery(searchQuery(deps));
  },
  component: ExplorePage,
});

const searchOf = (address: ExploreSearch): ExploreSearch => ({ ...address, compare: undefined });

function ExplorePage() {
  const address = Route.useSearch();
  const search = useMemo(() => searchOf(address), [address]);
  const navigate = useNavigate({ from: Route.fullPath });
  const change = (part: Partial<ExploreSearch>) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const found = useInfiniteQuery(searchQuery(search));
  const { data } = found;
  const hits = useMemo(() => itemsOf({ data }), [data]);
  const page = data?.pages[0];
  const [areFiltersOpen, setFiltersOpen] = useState(false);
  const isCompared = address.compare && hits.length > 1 && !found.isPlaceholderData;
  return (
    <Page title="Explore" actions={<PublishLink />}>
      <div className="explore" data-filters={areFiltersOpen}>
        <h1 className="visually-hidden">Explore</h1>
        <Facets search={search} facets={page?.facets} onChange={change} />
        <Results
          search={search}
          hits={hits}
          found={found}
          filters={
            <SearchBar
              search={search}
              facets={page?.facets}
              areFiltersOpen={areFiltersOpen}
              onFilters={() => setFiltersOpen(!areFiltersOpen)}
              onChange={change}
            />
          }
          notes={page && <Notes page={page} onCompare={() => change({ compare: true })} />}
        >
          <List found={found} rowHeight={58} empty={<NoHits search={search} onChange={change} />}>
            {() => null}
          </List>
        </Results>
      </div>
      {isCompared && (
        <Suspense>
          <CompareDialog
            query={page?.competing ? search.query : undefined}
            hits={[hits[0]!, hits[1]!]}
            onClose={() => change({ compare: undefined })}
          />
        </Suspense>
      )}
    </Page>
  );
}

interface NoHitsProps {
  search: SkillSearch;
  onChange: (part: Partial<ExploreSearch>) => void;
}

/** Why nothing is listed, with the filters to loosen. */
function NoHits({ search, onChange }: NoHitsProps) {
  const { query, scope, type, tags, tenant, updated } = search;
  const isFiltered = [scope, type, tags, tenant, updated].some((value) => value !== undefined);
  if (!query && !isFiltered)
    return (
      <Empty title="No skills yet">
        <p className="sub">Skills of your organizations, and public ones of others, appear here.</p>
      </Empty>
    );
  return (
    <Empty title="No skill matches">
      <p className="sub">
        {isFiltered
          ? "Remove a filter, or describe the task in other words."
          : "Describe the task in other words."}
      </p>
      {isFiltered && (
        <button
          type="button"
          className="link-button"
          onClick={() =>
            onChange({
              scope: undefined,
              type: undefined,
              tags: undefined,
              tenant: undefined,
              updated: undefined,
            })
          }
        >
          Remove all filters
        </button>
      )}
    </Empty>
  );
}
