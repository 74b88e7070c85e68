import { useInfiniteQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { usersQuery, type UserFilter } from "../../../api/admin.ts";
import { ListSection } from "../../../parts/lists/list-section.tsx";
import { SearchField } from "../../../parts/lists/search-field.tsx";
import { Segments } from "../../../parts/page/segments.tsx";
import { AdminPage } from "../admin-page.tsx";
import { AdminProblem } from "../admin-problem.tsx";
import { UserTable } from "./user-table.tsx";

const textOf = (value: unknown) =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value) : undefined;

export const Route = createFileRoute("/admin/users")({
  validateSearch: (raw: Record<string, unknown>): UserFilter => ({
    query: textOf(raw["query"]),
    only: (["administrators", "suspended"] as const).find((only) => only === raw["only"]),
  }),
  component: UsersPage,
});

function UsersPage() {
  const filter = Route.useSearch();
  return (
    <AdminPage title="Users" about="Accounts of the service and their state. Every action takes a reason.">
      <Filters filter={filter} />
      <Users filter={filter} />
    </AdminPage>
  );
}

function Users({ filter }: { filter: UserFilter }) {
  const found = useInfiniteQuery(usersQuery(filter));
  return (
    <ListSection
      label="Accounts"
      found={found}
      empty="No account matches. User names and addresses are found by their beginning, accounts also by their id."
      Failure={AdminProblem}
    >
      {(users) => <UserTable users={users} />}
    </ListSection>
  );
}

function Filters({ filter }: { filter: UserFilter }) {
  const navigate = useNavigate({ from: Route.fullPath });
  const change = (part: UserFilter) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  return (
    <div className="row wrap">
      <SearchField
        label="Find accounts"
        placeholder="User name, address or id"
        value={filter.query}
        onChange={(query) => change({ query })}
      />
      <Segments
        label="Show"
        data={[
          { value: "all", label: "All" },
          { value: "administrators", label: "Administrators" },
          { value: "suspended", label: "Suspended" },
        ]}
        value={filter.only ?? "all"}
        onChange={(only) => change({ only: only === "all" ? undefined : only })}
      />
    </div>
  );
}
