import "./explore.css";
import { NativeSelect, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useMemo, useRef } from "react";
import { searchSorts } from "../../../../contract/vocabulary.ts";
import { catalogQuery, catalogSort, type CatalogSearch } from "../../api/catalog.ts";
import { Empty } from "../../parts/empty.tsx";
import { useKeys } from "../../parts/keys.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import { List } from "../../parts/lists/list-section.tsx";
import { Page } from "../../parts/page.tsx";
import { Results } from "./results.tsx";

const debounceMs = 150;

export const Route = createFileRoute("/explore")({
  validateSearch: (raw: Record<string, unknown>): CatalogSearch => ({
    query: typeof raw["query"] === "string" && raw["query"] !== "" ? raw["query"] : undefined,
    tag: typeof raw["tag"] === "string" && raw["tag"] !== "" ? raw["tag"] : undefined,
    type: raw["type"] === "skill" || raw["type"] === "rule" ? raw["type"] : undefined,
    sort: searchSorts.find((sort) => sort === raw["sort"]),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    void context.client.prefetchInfiniteQuery(catalogQuery(deps));
  },
  component: ExplorePage,
});

function ExplorePage() {
  const search = Route.useSearch();
  const found = useInfiniteQuery(catalogQuery(search));
  const { data } = found;
  const items = useMemo(() => itemsOf({ data }), [data]);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page title="Explore">
      <div className="explore">
        <h1 className="visually-hidden">Explore</h1>
        <Results items={items} found={found} filters={<Filters search={search} />}>
          <List
            found={found}
            rowHeight={58}
            empty={
              <Empty title={isFiltered ? "No skill matches" : "No public skills yet"}>
                <p className="sub">
                  {isFiltered
                    ? "Try fewer words, or remove a filter."
                    : "Skills with the visibility public appear here."}
                </p>
              </Empty>
            }
          >
            {() => null}
          </List>
        </Results>
      </div>
    </Page>
  );
}

function Filters({ search }: { search: CatalogSearch }) {
  const navigate = useNavigate({ from: Route.fullPath });
  const field = useRef<HTMLInputElement>(null);
  const change = (part: CatalogSearch) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const changeQuery = useDebouncedCallback(
    (query: string) => change({ query: query || undefined }),
    debounceMs,
  );
  useKeys({ "/": () => field.current?.focus() });
  return (
    <div className="search-bar stack">
      <TextInput
        ref={field}
        aria-label="Search skills and rules"
        placeholder="Name, tag or what it should do"
        leftSection={<Search size={16} />}
        rightSection={<span className="kbd hidden-on-phones">/</span>}
        defaultValue={search.query ?? ""}
        maxLength={200}
        onChange={(event) => changeQuery(event.currentTarget.value)}
      />
      <div className="row between">
        <SegmentedControl
          aria-label="Type"
          size="xs"
          data={[
            { value: "", label: "All" },
            { value: "skill", label: "Skills" },
            { value: "rule", label: "Rules" },
          ]}
          value={search.type ?? ""}
          onChange={(value) => change({ type: value || undefined })}
        />
        <NativeSelect
          aria-label="Sort"
          size="xs"
          w={130}
          data={searchSorts
            .filter((sort) => sort !== "relevance" || search.query)
            .map((sort) => ({ value: sort, label: sort[0]!.toUpperCase() + sort.slice(1) }))}
          value={catalogSort(search)}
          onChange={(event) =>
            change({ sort: searchSorts.find((sort) => sort === event.currentTarget.value) })
          }
        />
      </div>
    </div>
  );
}
