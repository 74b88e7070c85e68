import { Button, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { workspaceStates } from "../../../../contract/vocabulary.ts";
import { workspacesQuery, type Workspace, type WorkspaceState } from "../../api/workspaces.ts";
import type { Organization } from "../../parts/organization-page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Time } from "../../parts/time.tsx";
import { WorkspaceActions } from "./row-actions.tsx";

interface Props {
  org: string;
  organization: Organization;
}

const tones: Partial<Record<WorkspaceState, string>> = { failed: "danger", left: "warn", provisioned: "ok" };
/** Failed ones first: they need attention. */
const order = (a: Workspace, b: Workspace) => Number(b.state === "failed") - Number(a.state === "failed");

export function WorkspaceList({ org, organization }: Props) {
  const [state, setState] = useState<WorkspaceState | null>(null);
  const found = useInfiniteQuery(workspacesQuery(org, state ?? undefined));
  const rows = (found.data?.pages.flatMap((page) => page.data) ?? []).toSorted(order);
  return (
    <section className="stack g3" aria-label="Workspaces">
      <Select
        aria-label="State"
        placeholder="All states"
        w={160}
        clearable
        clearButtonProps={{ "aria-label": "All states" }}
        data={[...workspaceStates]}
        value={state}
        onChange={(value) => setState(value)}
      />
      <Problem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows height={40} />}
      {found.isSuccess && rows.length === 0 && <p className="sub">No workspace is in this state.</p>}
      {rows.length > 0 && <WorkspaceTable org={org} organization={organization} rows={rows} />}
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
    </section>
  );
}

function WorkspaceTable({ org, organization, rows }: Props & { rows: Workspace[] }) {
  return (
    <div className="panel">
      <table className="tbl">
        <caption className="sr">Workspaces</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">State</th>
            <th scope="col" className="hide-s">
              Changed
            </th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((workspace) => (
            <tr key={`${workspace.userId} ${workspace.folderId ?? ""}`}>
              <td>
                <b>{workspace.username ?? "deleted account"}</b>{" "}
                <span className="meta mono">{workspace.path}</span>
                {workspace.error !== undefined && <p className="danger">{workspace.error}</p>}
              </td>
              <td>
                <span className={`badge ${tones[workspace.state] ?? ""}`}>{workspace.state}</span>
              </td>
              <td className="meta hide-s">
                <Time value={workspace.updatedAt} />
              </td>
              <td className="right">
                <WorkspaceActions org={org} organization={organization} workspace={workspace} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
