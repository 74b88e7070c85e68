import { Button, Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { MoreHorizontal } from "lucide-react";
import { useState } from "react";
import { deletePolicy, policiesQuery, updatePolicy, type Policy } from "../../api/organization/ci.ts";
import { CiRun } from "../../parts/ci/ci-run.tsx";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";
import { rightsOf } from "../../parts/tokens/summary.ts";
import { providers } from "./providers.ts";

interface Props {
  org: string;
  policies: Policy[];
  onEdit: (policy: Policy) => void;
}

/** The trust policies with what they trust and permit, and their last exchange. */
export function PolicyList({ org, policies, onEdit }: Props) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Policy>();
  const read = () => client.invalidateQueries({ queryKey: policiesQuery(org).queryKey });
  const change = useMutation({
    mutationFn: ({ id, ...fields }: { id: string; enabled?: boolean; pinned?: null }) =>
      updatePolicy(org, id, fields),
    onSuccess: read,
  });
  return (
    <section className="stack gap-3" aria-label="Trust policies">
      <Problem error={change.error} />
      <ul className="policies panel">
        {policies.map((policy) => (
          <li key={policy.id} className="policy">
            <Terms policy={policy} />
            <Actions
              policy={policy}
              onEdit={() => onEdit(policy)}
              onChange={(fields) => change.mutate({ id: policy.id, ...fields })}
              onDelete={() => setAsked(policy)}
            />
          </li>
        ))}
      </ul>
      {asked && (
        <ConfirmDialog
          title={`Delete ${asked.name}`}
          action="Delete policy"
          isDangerous
          run={async () => {
            await deletePolicy(org, asked.id);
            await read();
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>
            Its pipelines can&apos;t publish any more, and tokens made by it end at their next request. Their
            versions stay.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function Terms({ policy }: { policy: Policy }) {
  const { name, provider, repository, ref, environment, enabled, lastExchange, pinned, createdBy } = policy;
  const { workflow, events, protectedRef } = policy;
  const rights = rightsOf({
    holder: "an administrator",
    scopes: policy.scopes,
    folders: policy.allowedFolders?.map(({ path }) => path ?? "a folder that you can't see"),
  });
  const skills = policy.skills?.map(({ slug }) => slug ?? "a skill that you can't see").join(", ");
  return (
    <div className="stack grow clip">
      <div className="row wrap">
        <b className="wrap-text">{name}</b>
        <span className="badge">{providers[provider].name}</span>
        {!enabled && <span className="badge warn">disabled</span>}
      </div>
      <p className="wrap-text">
        <span className="mono">{repository}</span> at {protectedRef && "the protected "}
        <span className="mono">{ref}</span>
        {workflow !== undefined && (
          <>
            {" "}
            by <span className="mono">{workflow}</span>
          </>
        )}
        {environment !== undefined && (
          <>
            {" "}
            in environment <span className="mono">{environment}</span>
          </>
        )}
        {events && `, started by ${events.join(", ")}`}
      </p>
      <p className="meta wrap-text">
        A token {rights}
        {skills !== undefined && `, limited to ${skills}`}. Added by {createdBy ?? "a deleted account"}
        {pinned && `, bound to the repository's id since its first exchange`}.
      </p>
      <p className="meta wrap-text">
        {lastExchange ? (
          <>
            Last exchange <Time value={lastExchange.at} /> by <CiRun origin={lastExchange} />
          </>
        ) : (
          "No exchange yet."
        )}
      </p>
    </div>
  );
}

interface ActionProps {
  policy: Policy;
  onEdit: () => void;
  onChange: (fields: { enabled?: boolean; pinned?: null }) => void;
  onDelete: () => void;
}

const Actions = ({ policy: { name, enabled, pinned }, onEdit, onChange, onDelete }: ActionProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        aria-label={`Actions for ${name}`}
        className="policy-menu"
      >
        <MoreHorizontal size={16} />
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item onClick={onEdit}>Edit …</Menu.Item>
      <Menu.Item onClick={() => onChange({ enabled: !enabled })}>{enabled ? "Disable" : "Enable"}</Menu.Item>
      {pinned && (
        <Menu.Item onClick={() => onChange({ pinned: null })}>Forget the repository&apos;s id</Menu.Item>
      )}
      <Menu.Item color="danger" onClick={onDelete}>
        Delete …
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
