import "./library.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { visibilities } from "../../../../contract/vocabulary.ts";
import { foldersQuery, organizationQuery } from "../../api/account/session.ts";
import { organizationSkillsQuery, type Folder, type Skill } from "../../api/folders.ts";
import { itemsOf, useNextPage } from "../../parts/lists/found.ts";
import { OrganizationPage, type Organization } from "../../parts/page/organization-page.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { Actions } from "./actions.tsx";
import { BulkBar } from "./bulk/bulk-bar.tsx";
import { Dialogs, type Asked } from "./dialogs.tsx";
import { EmptyLibrary } from "./empty-library.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { DragHint } from "./move/drag-hint.tsx";
import { FolderPanel } from "./panel/folder-panel.tsx";
import { SkillPanel } from "./panel/skill-panel.tsx";
import { Rows } from "./rows.tsx";
import { Tools } from "./tools.tsx";
import { stalenesses, type LibrarySearch } from "./tree.ts";
import { useFilters } from "./use-filters.ts";
import { useLibrary } from "./use-library.ts";

const none: Skill[] = [];
const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export const Route = createFileRoute("/$org/-/library/$")({
  validateSearch: (raw: Record<string, unknown>): LibrarySearch => ({
    filter: textOf(raw["filter"]),
    type: raw["type"] === "skill" || raw["type"] === "rule" ? raw["type"] : undefined,
    folder: textOf(raw["folder"]),
    tag: textOf(raw["tag"]),
    owner: textOf(raw["owner"]),
    team: textOf(raw["team"]),
    visibility: visibilities.find((one) => one === raw["visibility"]),
    stale: stalenesses.find((one) => one === raw["stale"]),
    skill: textOf(raw["skill"]),
  }),
  loader: ({ context, params: { org } }) => {
    void context.client.prefetchQuery(organizationQuery(org));
    void context.client.prefetchQuery(foldersQuery(org));
    void context.client.prefetchInfiniteQuery(organizationSkillsQuery(org));
  },
  component: LibraryPage,
});

function LibraryPage() {
  const { org } = Route.useParams();
  const folders = useQuery(foldersQuery(org));
  const [asked, setAsked] = useState<Asked>();
  const { skills, isLoading } = useAllSkills(org);
  return (
    <OrganizationPage
      org={org}
      title="Library"
      waiting={<WaitingLibrary />}
      subject={folders}
      renderActions={(organization) => (
        <Actions organization={organization} onNewFolder={() => setAsked({ act: "create" })} />
      )}
    >
      {(organization) => (
        <Library
          organization={organization}
          folders={folders.data ?? []}
          skills={skills}
          isLoading={isLoading}
          asked={asked}
          onAsk={setAsked}
        />
      )}
    </OrganizationPage>
  );
}

const WaitingLibrary = () => (
  <>
    <h1 className="visually-hidden">Library</h1>
    <SkeletonRows rows={16} height={36} />
  </>
);

/** All skills of the organization; pages that follow the first are loaded one after the other. */
function useAllSkills(org: string): { skills: Skill[] | undefined; isLoading: boolean } {
  const found = useInfiniteQuery(organizationSkillsQuery(org));
  const { data, isPending, hasNextPage, isFetchNextPageError } = found;
  useNextPage(found, true);
  const skills = useMemo(() => data && itemsOf({ data }), [data]);
  return { skills, isLoading: isPending || (hasNextPage && !isFetchNextPageError) };
}

interface Props {
  organization: Organization;
  folders: Folder[];
  skills: Skill[] | undefined;
  isLoading: boolean;
  asked: Asked | undefined;
  onAsk: (asked: Asked | undefined) => void;
}

function Library({ organization, folders, skills, isLoading, asked, onAsk }: Props) {
  const { org, _splat: path = "" } = Route.useParams();
  const search = Route.useSearch();
  const filters = useFilters(organization, folders, skills ?? none, search);
  const { tree, rows, chosen, folder, skill, drag, ...on } = useLibrary({
    organization,
    folders,
    skills,
    isLoading,
    org,
    path,
    search,
    onAsk,
    filters,
  });
  const isEmpty = skills?.length === 0 && folders.length === 0;
  return (
    <div className="library">
      <section className="left" aria-label="Folders and skills">
        <h1 className="visually-hidden">Library of {organization.name}</h1>
        <Tools search={search} onSearch={on.search} onExpand={on.expandAll} />
        <FilterBar filters={filters} search={search} onSearch={on.search} />
        {path !== "" && !folder && (
          <p className="note warn">No folder has this path, or you don&apos;t have access to it.</p>
        )}
        {isEmpty ? (
          <EmptyLibrary organization={organization} onNewFolder={() => onAsk({ act: "create" })} />
        ) : (
          <Rows tree={tree} rows={rows} chosen={chosen} drag={drag} {...on} />
        )}
        {rows.length === 0 && !isEmpty && skills && (
          <p className="none sub">Nothing matches. Use other words, or remove a filter.</p>
        )}
        <DragHint tree={tree} drag={drag} />
        <BulkBar org={org} tree={tree} selection={on.selection} />
      </section>
      {skill && (
        <SkillPanel
          skill={skill}
          canMove={on.canMove}
          onMove={() => onAsk({ act: "move", item: { kind: "skill", skill } })}
        />
      )}
      {folder && !skill && (
        <FolderPanel
          key={folder.id}
          org={org}
          folder={folder}
          skills={tree.counts.get(folder.id) ?? folder.skillCount}
          onAct={(act) => onAsk({ act, item: { kind: "folder", folder } })}
        />
      )}
      <Dialogs
        org={org}
        tree={tree}
        asked={asked}
        onMove={on.move}
        onSaved={on.showFolder}
        onClose={() => onAsk(undefined)}
      />
    </div>
  );
}
