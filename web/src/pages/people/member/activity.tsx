import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { auditQuery } from "../../../api/organization/audit.ts";
import type { Member } from "../../../api/organization/people.ts";
import { sentenceOf, sentenceText } from "../../../parts/audit/text/sentence.ts";
import { ListSection } from "../../../parts/lists/list-section.tsx";
import { Time } from "../../../parts/text/time.tsx";

const shown = 12;

/** The latest actions of the member in the organization. */
export function MemberActivity({ org, member }: { org: string; member: Member }) {
  const filter = { actor: member.userId };
  const found = useQuery(auditQuery(org, filter, shown));
  return (
    <ListSection
      title="Activity"
      aside={
        <Link to="/$org/-/audit" params={{ org }} search={filter}>
          All in the audit log
        </Link>
      }
      found={found}
      rows={3}
      rowHeight={44}
      empty="Nothing was recorded in the last 90 days."
    >
      {(entries) => (
        <ul className="panel plain">
          {entries.map((entry) => (
            <li key={entry.id} className="row">
              <bdi className="grow clip">
                {sentenceText(sentenceOf(entry)).replace(/^./, (letter) => letter.toUpperCase())}
              </bdi>
              <Time value={entry.createdAt} className="meta nowrap" />
            </li>
          ))}
        </ul>
      )}
    </ListSection>
  );
}
