import { Button, Radio } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { ApiError } from "../../api/client.ts";
import { connectRepository, planConnection, syncQuery } from "../../api/organization/sync.ts";
import { inputOf, type Draft } from "./draft.ts";
import { hostLabels, type Host } from "./hosts.ts";
import { PlanView } from "./plan-view.tsx";
import { Refusal } from "./refusal.tsx";
import { RepositoryFields } from "./repository-fields.tsx";

/** Connects a repository: host, repository, branch and mode, then the plan. Nothing is written before *Connect*. */
export function Wizard({ org, hosts }: { org: string; hosts: Host[] }) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>({ host: hosts[0]!, mode: "push" });
  const plan = useMutation({ mutationFn: () => planConnection(org, inputOf(draft)) });
  const connect = useMutation({
    mutationFn: () => connectRepository(org, inputOf(draft)),
    onSuccess: () => client.invalidateQueries({ queryKey: syncQuery(org).queryKey }),
  });
  // A plan is valid only for the input that it was made from.
  const change = (part: Partial<Draft>) => {
    setDraft((old) => ({ ...old, ...part }));
    plan.reset();
    connect.reset();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    connect.reset();
    plan.mutate();
  };
  const error = connect.error ?? plan.error;
  const fields = error instanceof ApiError ? error.fields : {};
  return (
    <div className="sync-wizard stack gap-4">
      <p className="sub">
        Connect a repository, and every skill is also a directory in it. Changes go both ways, and nothing is
        lost where both sides change.
      </p>
      <form className="stack gap-4" onSubmit={submit}>
        <HostChoice host={draft.host} hosts={hosts} onChange={(host) => change({ host })} />
        <RepositoryFields draft={draft} fields={fields} onChange={change} />
        <ModeChoice mode={draft.mode} onChange={(mode) => change({ mode })} />
        <p className="note warn">
          Anyone who can push to the branch can change every skill of {org}, also those in restricted folders.
          Protect the branch at the host.
        </p>
        {error && <Refusal error={error} onBranch={(branch) => change({ branch })} />}
        <div className="row">
          <Button type="submit" variant={plan.data ? "default" : "filled"} loading={plan.isPending}>
            Plan
          </Button>
          <span className="meta">A plan reads the repository and writes nothing.</span>
        </div>
      </form>
      {plan.data && (
        <PlanView plan={plan.data}>
          <Button loading={connect.isPending} onClick={() => connect.mutate()}>
            Connect
          </Button>
        </PlanView>
      )}
    </div>
  );
}

function ModeChoice({ mode, onChange }: { mode: Draft["mode"]; onChange: (mode: Draft["mode"]) => void }) {
  return (
    <Radio.Group label="How changes here reach the branch" value={mode} onChange={onChange}>
      <div className="stack sync-choices">
        <Radio
          value="push"
          label="Push to the branch"
          description="The fastest. A protected branch refuses it."
        />
        <Radio
          value="pull_request"
          label="Propose with a pull request"
          description="People review changes before the branch has them."
        />
      </div>
    </Radio.Group>
  );
}

function HostChoice({
  host: chosen,
  hosts,
  onChange,
}: {
  host: Host;
  hosts: Host[];
  onChange: (host: Host) => void;
}) {
  return (
    <Radio.Group label="Host" value={chosen} onChange={onChange}>
      <div className="row wrap sync-choices">
        {hosts.map((host) => (
          <Radio key={host} value={host} label={hostLabels[host]} />
        ))}
      </div>
    </Radio.Group>
  );
}
