import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { planNextSync } from "../../api/organization/sync.ts";
import { Problem } from "../../parts/states/problem.tsx";
import { PlanView } from "./plan-view.tsx";

/** The plan of the next full sync, on request: it reads the whole branch. */
export function NextSync({ org }: { org: string }) {
  const plan = useMutation({ mutationFn: () => planNextSync(org) });
  return (
    <>
      <div className="row wrap">
        <Button variant="default" loading={plan.isPending} onClick={() => plan.mutate()}>
          Plan the next sync
        </Button>
        <span className="meta">A plan compares both sides and writes nothing.</span>
      </div>
      <Problem error={plan.error} />
      {plan.data && <PlanView plan={plan.data} />}
    </>
  );
}
