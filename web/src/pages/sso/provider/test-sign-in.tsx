import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  isConnected,
  providersQuery,
  startTest,
  testQuery,
  type SsoProvider,
  type SsoTest,
} from "../../../api/organization/sso.ts";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { Time } from "../../../parts/text/time.tsx";

interface Props {
  org: string;
  provider: SsoProvider;
}

/** A sign-in of the owner in another tab, which changes nothing, and the verdict of each check. */
export function TestSignIn({ org, provider }: Props) {
  const client = useQueryClient();
  const start = useMutation({ mutationFn: () => startTest(org, provider.id) });
  const test = useQuery(testQuery(org, provider.id, start.data?.id));
  const isPassed = test.data?.state === "passed";
  useEffect(() => {
    if (isPassed) void client.invalidateQueries({ queryKey: providersQuery(org).queryKey });
  }, [isPassed, client, org]);
  return (
    <section className="panel" aria-labelledby="test-heading">
      <header>
        <h2 id="test-heading">Test sign-in</h2>
        {provider.testedAt !== null && <span className="badge ok">passed</span>}
      </header>
      <div className="body stack gap-4">
        <p className="sub">
          Sign in at the identity provider yourself: nothing changes, and you see every check, the attributes
          that arrive, and the effect that the sign-in would have.
          {provider.testedAt !== null && (
            <>
              {" "}
              Last success <Time value={provider.testedAt} />.
            </>
          )}
        </p>
        <Problem error={start.error ?? test.error} />
        <div className="row wrap">
          <Button
            variant={start.data ? "default" : "filled"}
            loading={start.isPending}
            disabled={!isConnected(provider)}
            onClick={() => start.mutate()}
          >
            {start.data ? "Prepare another test" : "Prepare test"}
          </Button>
          {start.data && test.data?.state !== "passed" && test.data?.state !== "failed" && (
            <Button component="a" href={start.data.url} target="_blank" rel="noopener">
              Sign in in a new tab
            </Button>
          )}
        </div>
        <div role="status" className="stack gap-4">
          {start.data && test.data?.state === "pending" && (
            <p className="meta">Waiting for the sign-in in the other tab, for ten minutes.</p>
          )}
          {test.data && test.data.state !== "pending" && <Result test={test.data} />}
        </div>
      </div>
    </section>
  );
}

const tones = { passed: "badge ok", failed: "badge danger", skipped: "badge" };

const columns: Column<SsoTest["checks"][number]>[] = [
  {
    header: "Check",
    className: "wrap-text",
    cell: ({ title, message }) => (
      <>
        {title}
        {message !== undefined && <span className="meta block">{message}</span>}
      </>
    ),
  },
  { header: "Result", cell: ({ result }) => <span className={tones[result]}>{result}</span> },
];

function Result({ test }: { test: SsoTest }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = test.checks.filter(
    ({ result }) => showsAll || result === "failed" || test.state === "passed",
  );
  return (
    <>
      <p className={test.state === "passed" ? "note ok" : "note danger"}>{test.outcome}</p>
      {test.subject !== null && <Person test={test} />}
      <DataTable caption="Checks of the response" columns={columns} rows={shown} keyOf={({ name }) => name} />
      {test.state === "failed" && !showsAll && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          w="fit-content"
          onClick={() => setShowsAll(true)}
        >
          Show all {test.checks.length} checks
        </Button>
      )}
    </>
  );
}

function groupsText({ groups, groupsProblem }: SsoTest): string {
  if (groupsProblem === "overage") return "too many to be sent or read: teams stay as they are";
  if (groupsProblem === "unread") return "not known: the user info could not be read";
  return groups === null ? "not sent" : groups.join(", ") || "sent, without a value";
}

function Person({ test }: { test: SsoTest }) {
  const { subject, email, name, attributes } = test;
  return (
    <dl className="record">
      <dt>Subject</dt>
      <dd className="mono wrap-text">{subject}</dd>
      <dt>Address</dt>
      <dd className="wrap-text">{email ?? "none"}</dd>
      {name !== null && (
        <>
          <dt>Name</dt>
          <dd className="wrap-text">{name}</dd>
        </>
      )}
      <dt>Groups</dt>
      <dd className="wrap-text">{groupsText(test)}</dd>
      {Object.entries(attributes).map(([attribute, values]) => (
        <Attribute key={attribute} name={attribute} values={values} />
      ))}
    </dl>
  );
}

const Attribute = ({ name, values }: { name: string; values: string[] }) => (
  <>
    <dt className="mono wrap-text">{name}</dt>
    <dd className="wrap-text">{values.join(", ")}</dd>
  </>
);
