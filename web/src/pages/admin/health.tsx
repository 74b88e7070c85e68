import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { bytesText } from "../../../../contract/text/size-text.ts";
import { confirmRestore, healthQuery, type ServiceHealth } from "../../api/admin.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Time } from "../../parts/text/time.tsx";
import { AdminPage } from "./admin-page.tsx";
import { AdminProblem } from "./admin-problem.tsx";
import { checksOf, HealthChecks } from "./health-checks.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

export const Route = createFileRoute("/admin/health")({ component: HealthPage });

function HealthPage() {
  return (
    <AdminPage title="Health" about="Engines, disks and programs that the service depends on.">
      <Health />
    </AdminPage>
  );
}

function Health() {
  const found = useQuery(healthQuery);
  return (
    <div className="stack gap-4">
      <Loaded found={found} rows={3} Failure={AdminProblem}>
        {(health) => (
          <>
            <HealthChecks checks={checksOf(health)} />
            {!health.restore.ok && <ConfirmRestore />}
            <ThisProcess health={health} />
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Nothing is erased until an administrator has confirmed that the database and the Git root are the right ones. */
function ConfirmRestore() {
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const confirm = async (reason: string) => {
    await confirmRestore(reason);
    await client.invalidateQueries({ queryKey: healthQuery.queryKey });
  };
  return (
    <div>
      <Button onClick={() => setOpen(true)}>Confirm restore</Button>
      {isOpen && (
        <ReasonDialog
          title="Confirm restore"
          action="Confirm restore"
          isDangerous
          run={confirm}
          onClose={() => setOpen(false)}
        >
          <p>
            Confirm only if the database and the Git root are the right ones. The service then erases
            repositories that the database does not know, and they can be restored from a backup only.
          </p>
        </ReasonDialog>
      )}
    </div>
  );
}

function ThisProcess({ health }: { health: ServiceHealth }) {
  const { versions, process, checkedAt } = health;
  const startedAt = new Date(Date.parse(checkedAt) - process.uptimeSeconds * 1000).toISOString();
  return (
    <section className="panel" aria-labelledby="process-title">
      <header>
        <h2 id="process-title" className="grow">
          The process that answered
        </h2>
        <span className="meta">
          checked <Time value={checkedAt} />
        </span>
      </header>
      <dl className="body facts">
        <dt>Version</dt>
        <dd className="mono">{versions.service}</dd>
        <dt>Node.js</dt>
        <dd className="mono">{versions.node}</dd>
        <dt>MongoDB</dt>
        <dd className="mono">{versions.database ?? "unknown"}</dd>
        <dt>Memory</dt>
        <dd>{bytesText(process.memoryBytes)}</dd>
        <dt>Started</dt>
        <dd>
          <Time value={startedAt} />
        </dd>
      </dl>
    </section>
  );
}
