import { Button } from "@mantine/core";
import { useState } from "react";
import type { Grant } from "../../../api/account/account.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { actionsColumn, DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { Time } from "../../../parts/text/time.tsx";

interface Props {
  grants: readonly Grant[];
  revoke: (id: string) => Promise<unknown>;
}

/** Programs with what they may do, and where. */
export function GrantTable({ grants, revoke }: Props) {
  const [asked, setAsked] = useState<Grant>();
  return (
    <div className="token-table">
      <DataTable
        caption="Programs with access, newest first"
        columns={columnsOf(setAsked)}
        rows={grants}
        keyOf={({ id }) => id}
      />
      {asked && (
        <ConfirmDialog
          title={`Revoke ${nameOf(asked)}`}
          action="Revoke access"
          isDangerous
          run={() => revoke(asked.id)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            The program is refused from its next request on. To use it again, you have to connect it again.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

const columnsOf = (onRevoke: (grant: Grant) => void): Column<Grant>[] => [
  {
    header: "Program",
    cell: (grant) => (
      <>
        <span className="row wrap">
          <b>
            <bdi>{nameOf(grant)}</bdi>
          </b>
          <span className="badge">{accessOf(grant)}</span>
          <span className="meta">
            since <Time value={grant.createdAt} />
          </span>
        </span>
        <p className="meta">{originOf(grant)}</p>
        <p className="meta">
          <Organizations grant={grant} />
        </p>
      </>
    ),
  },
  {
    header: "Last used",
    isHiddenOnPhones: true,
    className: "meta",
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} /> : "never"),
  },
  actionsColumn((grant) => (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-label={`Revoke ${nameOf(grant)}`}
      onClick={() => onRevoke(grant)}
    >
      Revoke
    </Button>
  )),
];

/** A verified host comes before a claimed name. */
function accessOf(grant: Grant): string {
  if (isOfConnectors(grant)) return "Hosted connectors";
  return grant.access === "read" ? "Read" : "Read and write";
}

const isOfConnectors = ({ resource }: Grant) => resource.endsWith("/mcp/central");

const nameOf = ({ client: { host, name } }: Grant) =>
  host ?? (name === "" ? "A program without a name" : name);

/** How much of the name was verified, and where the access goes. */
function originOf({ client: { host, name }, redirectsTo }: Grant) {
  if (host === null)
    return redirectsTo.kind === "web"
      ? `Unverified name. Sends you back to ${redirectsTo.name}.`
      : "Unverified name. Runs on a computer of yours.";
  if (name === "") return "Verified host.";
  return (
    <>
      Verified host. Calls itself “<bdi>{name}</bdi>”.
    </>
  );
}

function Organizations({ grant }: { grant: Grant }) {
  const { organizations } = grant;
  if (organizations.length === 0)
    return isOfConnectors(grant) ? "In no organization." : "In no organization: public skills only.";
  return (
    <>
      In{" "}
      {organizations.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <bdi>{name}</bdi>
        </span>
      ))}
      .
    </>
  );
}
