import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { syncQuery, takeOverSync, type Connection } from "../../api/organization/sync.ts";
import { iconProps } from "../../parts/icon.ts";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";
import { remedyOf } from "./remedies.ts";

/** Why the sync does not work, and what ends that. */
export function ConnectionProblem({
  org,
  connection,
  canManage,
}: {
  org: string;
  connection: Connection;
  canManage: boolean;
}) {
  const client = useQueryClient();
  const takeOver = useMutation({
    mutationFn: () => takeOverSync(org),
    onSuccess: () => client.invalidateQueries({ queryKey: syncQuery(org).queryKey }),
  });
  const { problem } = connection;
  if (!problem) return null;
  const remedy = remedyOf(problem.code);
  return (
    <section className={connection.status === "blocked" ? "note danger" : "note warn"} aria-label="Problem">
      <TriangleAlert {...iconProps} className="icon" />
      <div className="stack">
        <p>
          <b>{problem.message}</b> <Time value={problem.at} className="meta" />
        </p>
        {remedy && <p>{remedy}</p>}
        {problem.code === "connector_gone" && canManage && (
          <div>
            <Button
              size="xs"
              variant="default"
              loading={takeOver.isPending}
              onClick={() => takeOver.mutate()}
            >
              Take over the connection
            </Button>
          </div>
        )}
        <Problem error={takeOver.error} />
      </div>
    </section>
  );
}
