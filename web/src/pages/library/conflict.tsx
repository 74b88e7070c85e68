import { Button } from "@mantine/core";
import { GitMerge } from "lucide-react";
import type { AccessDraft, Grant } from "../../api/folders.ts";
import { iconProps } from "../../parts/icon.ts";

interface Props {
  theirs: AccessDraft;
  mine: AccessDraft;
  onUseTheirs: () => void;
  onKeepMine: () => void;
}

/** Another member's change next to the user's own, when both were made to the same revision. */
export function Conflict({ theirs, mine, onUseTheirs, onKeepMine }: Props) {
  return (
    <div className="note warn" role="alert">
      <GitMerge className="icon" {...iconProps} />
      <div className="stack gap-3 grow">
        <b>Access to this folder was changed while you edited it.</b>
        <div className="sides">
          <Side title="Saved now" access={theirs} />
          <Side title="Your change" access={mine} />
        </div>
        <div className="row wrap">
          <Button size="xs" variant="default" onClick={onUseTheirs}>
            Use what is saved
          </Button>
          <Button size="xs" variant="default" onClick={onKeepMine}>
            Continue with your change
          </Button>
        </div>
      </div>
    </div>
  );
}

const grantText = ({ principal, level }: Grant) =>
  `${principal.name ?? "removed"} (${principal.type}): ${level}`;

function Side({ title, access }: { title: string; access: AccessDraft }) {
  return (
    <div className="stack">
      <h3>{title}</h3>
      <p className="meta">{access.restricted ? "Restricted" : "Not restricted"}</p>
      <ul className="meta">
        {access.grants.map((grant) => (
          <li key={grant.principal.id}>{grantText(grant)}</li>
        ))}
      </ul>
      {access.grants.length === 0 && <p className="meta">No grants</p>}
    </div>
  );
}
