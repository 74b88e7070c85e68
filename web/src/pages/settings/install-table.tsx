import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { OwnInstall } from "../../api/account/account.ts";
import { toolColumn, updatedColumn, versionColumn } from "../../parts/install-columns.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";

/** Rows that are drawn at first, and with each request for more. */
const step = 100;

/** Installs of one machine. */
export function InstallTable({ machine, installs }: { machine: string; installs: OwnInstall[] }) {
  const [shown, setShown] = useState(step);
  return (
    <>
      <DataTable
        inPanel
        caption={`Installs on ${machine}`}
        columns={columns}
        rows={installs.slice(0, shown)}
        keyOf={({ id }) => id}
      />
      {installs.length > shown && (
        <footer>
          <Button size="xs" variant="default" onClick={() => setShown(shown + step)}>
            Show {Math.min(step, installs.length - shown)} more
          </Button>
        </footer>
      )}
    </>
  );
}

const addressOf = ({ skill }: OwnInstall): string => `/${skill.tenantSlug}/${skill.slug}`;

const columns: Column<OwnInstall>[] = [
  {
    header: "Skill",
    isRowHeader: true,
    cell: (install) => <Link to={addressOf(install)}>{addressOf(install).slice(1)}</Link>,
  },
  versionColumn(),
  { ...toolColumn, isHiddenOnPhones: true },
  { ...updatedColumn, isHiddenOnPhones: true },
];
