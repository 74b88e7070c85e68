import { ActionIcon, Button, CopyButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Check, Copy } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { serviceQuery } from "../../../api/home.ts";
import type { InvitationOutcome } from "../../../api/organization/people.ts";
import { actionsColumn, DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { saveCsv } from "../../../parts/text/csv.ts";
import { MailNote } from "./mail-note.tsx";

interface Props {
  outcomes: InvitationOutcome[];
  /** Returns to the form with the addresses that failed. */
  onCorrect: () => void;
  onClose: () => void;
}

/** The outcome of each address, with the links of the invitations. */
export function Outcomes({ outcomes, onCorrect, onClose }: Props) {
  const failed = outcomes.filter(({ outcome }) => outcome === "failed").length;
  return (
    <div className="stack gap-4">
      <Summary outcomes={outcomes} />
      <div className="outcomes">
        <DataTable
          caption="Invitations"
          columns={columns}
          rows={[...outcomes].sort((a, b) => ranks[a.outcome] - ranks[b.outcome])}
          keyOf={({ email }) => email}
        />
      </div>
      <Links outcomes={outcomes} />
      <div className="row wrap end">
        {failed > 0 && (
          <Button variant="default" onClick={onCorrect}>
            {failed === 1 ? "Correct the failed one" : `Correct the ${failed} that failed`}
          </Button>
        )}
        <Button data-autofocus onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

const ranks = { failed: 0, alreadyMember: 1, invited: 2 } as const;

function Summary({ outcomes }: { outcomes: InvitationOutcome[] }) {
  const { data: service } = useQuery(serviceQuery);
  const count = (of: InvitationOutcome["outcome"]) => outcomes.filter(({ outcome }) => outcome === of).length;
  const [invited, members, failed] = [count("invited"), count("alreadyMember"), count("failed")];
  const parts = [
    invited > 0 && `${invited} invited`,
    members > 0 && countText(members, "already a member", "already members"),
    failed > 0 && `${failed} failed`,
  ];
  return (
    <div className="stack" role="status">
      <p>
        <b>{parts.filter(Boolean).join(", ")}.</b>{" "}
        {invited > 0 && "An invitation is valid for 7 days and for its address only."}{" "}
        {invited > 0 && service?.mail === true && "Its mail is on its way."}
      </p>
      {invited > 0 && <MailNote />}
    </div>
  );
}

const columns: Column<InvitationOutcome>[] = [
  { header: "Address", isRowHeader: true, className: "anywhere", cell: ({ email }) => email },
  {
    header: "Outcome",
    cell: ({ outcome, error }) =>
      outcome === "invited" ? (
        "invited"
      ) : outcome === "alreadyMember" ? (
        <span className="dim">already a member</span>
      ) : (
        <span className="danger">{error?.message}</span>
      ),
  },
  actionsColumn(({ email, url }) =>
    url === undefined ? null : (
      <CopyButton value={url}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            title="Copy link"
            aria-label={copied ? "Copied" : `Copy link for ${email}`}
            onClick={copy}
          >
            {copied ? <Check size={14} /> : <Copy size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    ),
  ),
];

function Links({ outcomes }: { outcomes: InvitationOutcome[] }) {
  const { data: service } = useQuery(serviceQuery);
  const rows = outcomes.flatMap(({ email, url }) => (url === undefined ? [] : [[email, url]]));
  if (rows.length === 0) return null;
  return (
    <div className="row wrap end">
      <p className="meta links-note">
        {service?.mail === true
          ? "The links are for accounts whose address is confirmed; the mail has one for everyone."
          : "Anyone with a link can create the account for its address and join."}
      </p>
      <CopyButton value={rows.map((row) => row.join("\t")).join("\n")}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy}>
            {copied ? "Copied" : rows.length === 1 ? "Copy link" : `Copy ${rows.length} links`}
          </Button>
        )}
      </CopyButton>
      <Button
        size="xs"
        variant="default"
        onClick={() => saveCsv("invitations.csv", [["email", "url"], ...rows])}
      >
        Save as CSV
      </Button>
    </div>
  );
}
