import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, Link, useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { Fragment, useRef } from "react";
import { organizationsQuery, type AdminOrganization } from "../../api/admin.ts";
import { useKeys } from "../../parts/keys.ts";
import { Pager, usePages } from "../../parts/lists/pager.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Time } from "../../parts/time.tsx";
import { visibleText } from "../../parts/visible-text.ts";
import { AdminPage } from "./admin-page.tsx";
import { AdminProblem } from "./admin-problem.tsx";
import { count } from "./figures.ts";

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
  return (
    <AdminPage
      title="Organizations"
      about="Size and state of each organization. Administrators of the service see no skills."
    >
      <Filter query={query} />
      <Organizations query={query} />
    </AdminPage>
  );
}

function Filter({ query }: Search) {
  const navigate = useNavigate({ from: Route.fullPath });
  const field = useRef<HTMLInputElement>(null);
  const change = useDebouncedCallback(
    (text: string) => void navigate({ search: { query: text.trim() || undefined }, replace: true }),
    200,
  );
  useKeys({ "/": () => field.current?.focus() });
  return (
    <TextInput
      ref={field}
      aria-label="Find organizations"
      placeholder="Slug or id"
      leftSection={<Search size={16} />}
      rightSection={<span className="kbd hide-s">/</span>}
      defaultValue={query ?? ""}
      maxLength={100}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function Organizations({ query }: Search) {
  const pages = usePages(query ?? "");
  const found = useQuery(organizationsQuery(query, pages.cursor));
  const organizations = found.data?.data ?? [];
  return (
    <section className="stack g3" aria-label="Organizations">
      <AdminProblem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows height={48} />}
      {found.isSuccess && organizations.length === 0 && (
        <p className="sub">
          {query === undefined
            ? "There are no organizations."
            : "No organization matches. Organizations are found by the beginning of their slug, or by their id."}
        </p>
      )}
      {organizations.length > 0 && (
        <div data-dimmed={found.isPlaceholderData}>
          <Table organizations={organizations} />
        </div>
      )}
      <Pager
        pages={pages}
        nextCursor={found.data?.nextCursor}
        isPending={found.isPlaceholderData}
        label="organizations"
      />
    </section>
  );
}

function Table({ organizations }: { organizations: AdminOrganization[] }) {
  return (
    <div className="panel scroll">
      <table className="tbl">
        <caption className="sr">Organizations</caption>
        <thead>
          <tr>
            <th scope="col">Organization</th>
            <th scope="col" className="right">
              Members
            </th>
            <th scope="col" className="right">
              Skills
            </th>
            <th scope="col" className="hide-s">
              Owners
            </th>
            <th scope="col" className="hide-s">
              State
            </th>
            <th scope="col" className="hide-s">
              Created
            </th>
          </tr>
        </thead>
        <tbody>
          {organizations.map((one) => (
            <Row key={one.id} organization={one} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ organization }: { organization: AdminOrganization }) {
  const { slug, formerSlugs, name, owners, members, skills, createdAt } = organization;
  return (
    <tr>
      <th scope="row">
        {visibleText(name)} <span className="meta">{slug}</span>
        {formerSlugs.length > 0 && <span className="meta block">formerly {formerSlugs.join(", ")}</span>}
        <span className="block only-s">
          <State organization={organization} />
        </span>
      </th>
      <td className="right">{count(members)}</td>
      <td className="right">{count(skills)}</td>
      <td className="hide-s">
        {owners.map(({ id, username }, index) => (
          <Fragment key={id}>
            {index > 0 && ", "}
            <Link to="/admin/users" search={{ query: username }}>
              {username}
            </Link>
          </Fragment>
        ))}
      </td>
      <td className="hide-s">
        <State organization={organization} />
      </td>
      <td className="hide-s nowrap">
        <Time value={createdAt} />
      </td>
    </tr>
  );
}

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
