import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { useState } from "react";
import {
  autoJoinQuery,
  domainsQuery,
  removeDomain,
  verifyDomain,
  type SsoDomain,
} from "../../api/organization/sso-domains.ts";
import { Command } from "../../parts/copy/command.tsx";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";

/** One domain: its state, its record, and the look-up of that record. */
export function DomainItem({ org, domain }: { org: string; domain: SsoDomain }) {
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const read = async () => {
    await client.invalidateQueries({ queryKey: domainsQuery(org).queryKey });
    await client.invalidateQueries({ queryKey: autoJoinQuery(org).queryKey });
  };
  const verify = useMutation({ mutationFn: () => verifyDomain(org, domain.id), onSettled: read });
  const { displayName, state } = domain;
  const showsRecord = state !== "verified" || isOpen;
  return (
    <li className="stack gap-3">
      <div className="row wrap">
        <b className="domain-name wrap-text">{displayName}</b>
        <StateBadge state={state} />
        <Button
          size="xs"
          variant="default"
          loading={verify.isPending}
          aria-label={`Check the record of ${displayName}`}
          onClick={() => verify.mutate()}
        >
          Check
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          aria-label={`Remove ${displayName}`}
          onClick={() => setAsked(true)}
        >
          Remove
        </Button>
      </div>
      <DomainTimes domain={domain} />
      {state === "verified" && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          w="fit-content"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide the record" : "Show the record"}
        </Button>
      )}
      {showsRecord && <TxtRecord domain={domain} />}
      <Problem error={verify.error} />
      <span role="status" className="visually-hidden">
        {verify.isSuccess && `${displayName} is verified.`}
      </span>
      {isAsked && <RemoveDialog org={org} domain={domain} onRemoved={read} onClose={() => setAsked(false)} />}
    </li>
  );
}

interface RemovalProps {
  org: string;
  domain: SsoDomain;
  onRemoved: () => Promise<void>;
  onClose: () => void;
}

const RemoveDialog = ({ org, domain: { id, displayName, state }, onRemoved, onClose }: RemovalProps) => (
  <ConfirmDialog
    title={`Remove ${displayName}`}
    action="Remove domain"
    isDangerous
    run={async () => {
      await removeDomain(org, id);
      await onRemoved();
    }}
    onClose={onClose}
  >
    <p>
      {state === "pending"
        ? "The value of its record ends with it. You can add the domain again, with another value."
        : "Addresses in this domain stop leading to your single sign-on, and no one joins by one. " +
          "Members stay members. Another organization can verify the domain from then on."}
    </p>
  </ConfirmDialog>
);

const badges = {
  pending: { text: "not verified", kind: "badge" },
  verified: { text: "verified", kind: "badge ok" },
  failing: { text: "record missing", kind: "badge warn" },
} as const;

const StateBadge = ({ state }: Pick<SsoDomain, "state">) => (
  <span className={badges[state].kind}>{badges[state].text}</span>
);

function DomainTimes({
  domain: { verifiedAt, checkedAt, lapsesAt, problem, domain, displayName },
}: {
  domain: SsoDomain;
}) {
  return (
    <>
      {problem !== undefined && (
        <p className="note warn">
          <CircleAlert className="icon" aria-hidden="true" />
          <span className="wrap-text">
            {problem}
            {lapsesAt !== undefined && (
              <>
                {" "}
                The verification lapses <Time value={lapsesAt} />.
              </>
            )}
          </span>
        </p>
      )}
      <p className="meta wrap-text">
        {domain !== displayName && <span className="mono">{domain} · </span>}
        {verifiedAt === undefined ? (
          "Add the record below at the provider of your DNS, then check it."
        ) : (
          <>
            Verified <Time value={verifiedAt} />
          </>
        )}
        {checkedAt !== undefined && (
          <>
            {verifiedAt === undefined ? " " : ", "}
            {verifiedAt === undefined ? "Last checked" : "last checked"} <Time value={checkedAt} />.
          </>
        )}
      </p>
    </>
  );
}

function TxtRecord({ domain: { record } }: { domain: SsoDomain }) {
  return (
    <dl className="record">
      <dt>Type</dt>
      <dd className="mono">{record.type}</dd>
      <dt>Name</dt>
      <dd>
        <Command text={record.name} prompt="" label="Copy the name of the record" />
      </dd>
      <dt>Value</dt>
      <dd>
        <Command text={record.value} prompt="" label="Copy the value of the record" />
      </dd>
    </dl>
  );
}
