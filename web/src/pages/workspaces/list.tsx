import { Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { workspaceStates } from "../../../../contract/vocabulary.ts";
import { workspacesQuery, type Workspace, type WorkspaceState } from "../../api/organization/workspaces.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import type { Organization } from "../../parts/organization-page.tsx";
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
  const rows = itemsOf(found).toSorted(order);
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
      <PagedList
        found={found}
        items={rows}
        rows={8}
        rowHeight={40}
        more="Show more"
        empty={<p className="sub">No workspace is in this state.</p>}
      >
        <WorkspaceTable org={org} organization={organization} rows={rows} />
      </PagedList>
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
