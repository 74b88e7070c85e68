import { SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useRef } from "react";
import { usersQuery, type UserFilter } from "../../../api/admin.ts";
import { useKeys } from "../../../parts/keys.ts";
import { Pager, usePages } from "../../../parts/lists/pager.tsx";
import { SkeletonRows } from "../../../parts/skeleton-rows.tsx";
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
  const pages = usePages(JSON.stringify(filter));
  const found = useQuery(usersQuery(filter, pages.cursor));
  const users = found.data?.data ?? [];
  return (
    <section className="stack g3" aria-label="Accounts">
      <AdminProblem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows height={48} />}
      {users.length > 0 && (
        <div data-dimmed={found.isPlaceholderData}>
          <UserTable users={users} />
        </div>
      )}
      {found.isSuccess && users.length === 0 && (
        <p className="sub">
          No account matches. User names and addresses are found by their beginning, accounts also by their
          id.
        </p>
      )}
      <Pager
        pages={pages}
        nextCursor={found.data?.nextCursor}
        isPending={found.isPlaceholderData}
        label="accounts"
      />
    </section>
  );
}

function Filters({ filter }: { filter: UserFilter }) {
  const navigate = useNavigate({ from: Route.fullPath });
  const field = useRef<HTMLInputElement>(null);
  const change = (part: UserFilter) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const changeQuery = useDebouncedCallback(
    (query: string) => change({ query: query.trim() || undefined }),
    200,
  );
  useKeys({ "/": () => field.current?.focus() });
  return (
    <div className="row wrap filters">
      <TextInput
        ref={field}
        className="grow"
        aria-label="Find accounts"
        placeholder="User name, address or id"
        leftSection={<Search size={16} />}
        rightSection={<span className="kbd hide-s">/</span>}
        defaultValue={filter.query ?? ""}
        maxLength={200}
        onChange={(event) => changeQuery(event.currentTarget.value)}
      />
      <SegmentedControl
        aria-label="Show"
        size="xs"
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
