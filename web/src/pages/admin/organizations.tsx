import { useInfiniteQuery } from "@tanstack/react-query";
import { createFileRoute, Link, useNavigate } from "@tanstack/react-router";
import { Fragment } from "react";
import { numberText } from "../../../../contract/text/count-text.ts";
import { organizationsQuery, type AdminOrganization } from "../../api/admin.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { SearchField } from "../../parts/lists/search-field.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { AdminPage } from "./admin-page.tsx";
import { AdminProblem } from "./admin-problem.tsx";
import { StorageCell } from "./storage-limit.tsx";

interface Search {
  query?: string;
}

export const Route = createFileRoute("/admin/organizations")({
  validateSearch: ({ query }: Record<string, unknown>): Search => ({
    query:
      (typeof query === "string" || typeof query === "number") && query !== "" ? String(query) : undefined,
  }),
  component: OrganizationsPage,
});

function OrganizationsPage() {
  const { query } = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const found = useInfiniteQuery(organizationsQuery(query));
  return (
    <AdminPage
      title="Organizations"
      about="Size and state of each organization. Administrators of the service see no skills."
    >
      <SearchField
        label="Find organizations"
        placeholder="Slug or id"
        value={query}
        onChange={(next) => void navigate({ search: { query: next }, replace: true })}
      />
      <ListSection
        label="Organizations"
        found={found}
        empty={
          query === undefined
            ? "There are no organizations."
            : "No organization matches. Organizations are found by the beginning of their slug, or by their id."
        }
        Failure={AdminProblem}
      >
        {(organizations) => (
          <DataTable caption="Organizations" columns={columns} rows={organizations} keyOf={({ id }) => id} />
        )}
      </ListSection>
    </AdminPage>
  );
}

const columns: Column<AdminOrganization>[] = [
  {
    header: "Organization",
    isRowHeader: true,
    cell: (organization) => (
      <>
        {visibleText(organization.name)} <span className="meta">{organization.slug}</span>
        {organization.formerSlugs.length > 0 && (
          <span className="meta block">previously {organization.formerSlugs.join(", ")}</span>
        )}
        <span className="block only-on-phones">
          <State organization={organization} />
          <StorageCell organization={organization} />
        </span>
      </>
    ),
  },
  { header: "Members", align: "right", cell: ({ members }) => numberText(members) },
  { header: "Skills", align: "right", cell: ({ skills }) => numberText(skills) },
  {
    header: "Storage",
    align: "right",
    isHiddenOnPhones: true,
    cell: (organization) => <StorageCell organization={organization} />,
  },
  {
    header: "Owners",
    isHiddenOnPhones: true,
    cell: ({ owners }) =>
      owners.map(({ id, username }, index) => (
        <Fragment key={id}>
          {index > 0 && ", "}
          <Link to="/admin/users" search={{ query: username }}>
            {username}
          </Link>
        </Fragment>
      )),
  },
  {
    header: "State",
    isHiddenOnPhones: true,
    cell: (organization) => <State organization={organization} />,
  },
  {
    header: "Created",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
];

function State({ organization: { deletionAt, connected } }: { organization: AdminOrganization }) {
  return (
    <span className="row wrap">
      {deletionAt !== null && (
        <span className="badge danger">
          erased <Time value={deletionAt} />
        </span>
      )}
      {connected && <span className="badge">repository connected</span>}
    </span>
  );
}
