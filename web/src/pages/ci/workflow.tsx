import { Select } from "@mantine/core";
import { useState } from "react";
import type { Issuer, Policy } from "../../api/organization/ci.ts";
import { CopyFile } from "../../parts/copy/copy-file.tsx";
import { workflowFor } from "./workflow-file.ts";

interface Props {
  org: string;
  policies: Policy[];
  issuers: Issuer[];
}

/** A complete pipeline for a policy, to copy. */
export function Workflow({ org, policies, issuers }: Props) {
  const [chosen, setChosen] = useState<string>();
  const policy = policies.find(({ id }) => id === chosen) ?? policies[0];
  const audience = issuers[0]?.audience;
  if (!policy || audience === undefined) return null;
  const file = workflowFor(policy, org, audience);
  return (
    <section className="stack gap-3" aria-labelledby="workflow">
      <h2 id="workflow">Workflow file</h2>
      {policies.length > 1 && (
        <Select
          label="For the policy"
          maw={360}
          data={policies.map(({ id, name }) => ({ value: id, label: name }))}
          value={policy.id}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? undefined)}
        />
      )}
      <CopyFile path={file.path} text={file.text} />
    </section>
  );
}
