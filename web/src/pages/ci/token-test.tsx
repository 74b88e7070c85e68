import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import {
  testToken,
  type Policy,
  type TokenCheck,
  type TokenTest as Result,
} from "../../api/organization/ci.ts";
import { Form } from "../../parts/forms/form.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import type { Draft } from "./draft.ts";

interface Props {
  org: string;
  policies: Policy[];
  /** Opens a policy, or a new one, with terms from the run of a token. */
  onPropose: (policy: Policy | undefined, terms: Partial<Draft>) => void;
}

/** Explains claim by claim why an identity token is accepted or not. */
export function TokenTest({ org, policies, onPropose }: Props) {
  const [token, setToken] = useState("");
  // The cache of mutations must not keep the token.
  const test = useMutation({ mutationFn: () => testToken(org, token.trim()), gcTime: 0 });
  return (
    <section className="stack gap-3" aria-labelledby="token-test">
      <h2 id="token-test">Test a token</h2>
      <p className="sub">
        Paste the identity token of a job to see which claims a policy accepts. This grants nothing and does
        not use the token up; an expired one works too.
      </p>
      <Form label="Test a token" error={test.error} onSubmit={() => token.trim() !== "" && test.mutate()}>
        <Textarea
          label="Identity token"
          className="mono"
          rows={3}
          maxLength={limits.identityTokenLength}
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <Problem error={test.error} />
        <Button
          type="submit"
          variant="default"
          w="fit-content"
          loading={test.isPending}
          disabled={token.trim() === ""}
        >
          Test token
        </Button>
      </Form>
      {test.data && <Verdict result={test.data} />}
      {test.data?.run && <Proposals run={test.data.run} policies={policies} onPropose={onPropose} />}
    </section>
  );
}

interface ProposalsProps extends Omit<Props, "org"> {
  run: NonNullable<Result["run"]>;
}

/** Ways to use the terms of a run: a new policy, and the workflow file for policies of the repository without one. */
function Proposals({ run, policies, onPropose }: ProposalsProps) {
  const { provider, issuer, repository, ref, workflow = "" } = run;
  const owner = repository.slice(0, repository.lastIndexOf("/"));
  const names = [repository, `${owner}/*`].map((name) => name.toLowerCase());
  const open = policies.filter(
    (policy) =>
      policy.workflow === undefined &&
      policy.issuer === issuer &&
      names.includes(policy.repository.toLowerCase()),
  );
  return (
    <div className="row wrap">
      {workflow !== "" &&
        open.map((policy) => (
          <Button key={policy.id} variant="default" onClick={() => onPropose(policy, { workflow })}>
            {`Require ${workflow} in ${policy.name} …`}
          </Button>
        ))}
      <Button
        variant="default"
        onClick={() => onPropose(undefined, { provider, issuer, repository, ref, workflow })}
      >
        New trust policy for this run …
      </Button>
    </div>
  );
}

function Verdict({ result: { accepted, checks, policies } }: { result: Result }) {
  return (
    <div className="stack gap-4" role="status">
      <p className={accepted ? "note ok" : "note warn"}>
        {accepted ? <Check className="icon" aria-hidden="true" /> : <X className="icon" aria-hidden="true" />}
        <span>
          {accepted ? "An exchange of this token succeeds." : "An exchange of this token is refused."}
        </span>
      </p>
      <Checks caption="The token" checks={checks} />
      {policies.map(({ id, name, matches, checks: ofPolicy }) => (
        <Checks key={id} caption={`${name}: ${matches ? "matches" : "does not match"}`} checks={ofPolicy} />
      ))}
    </div>
  );
}

function Checks({ caption, checks }: { caption: string; checks: TokenCheck[] }) {
  return (
    <div className="stack" role="group" aria-label={caption}>
      <h3>{caption}</h3>
      <DataTable
        caption={caption}
        scrollLabel={`Checks: ${caption}`}
        columns={columns}
        rows={checks}
        keyOf={({ claim }) => claim}
      />
    </div>
  );
}

const columns: Column<TokenCheck>[] = [
  { header: "Claim", isRowHeader: true, className: "mono", cell: ({ claim }) => claim },
  {
    header: "Result",
    cell: ({ passed }) => (
      <span className={passed ? "badge ok" : "badge danger"}>{passed ? "passed" : "failed"}</span>
    ),
  },
  { header: "Expected", className: "wrap-text mono", cell: ({ expected }) => expected ?? "–" },
  {
    header: "In the token",
    className: "wrap-text",
    cell: ({ actual, message }) => (
      <>
        <span className="mono">{actual ?? "–"}</span>
        {message !== undefined && <p className="meta">{message}</p>}
      </>
    ),
  },
];
