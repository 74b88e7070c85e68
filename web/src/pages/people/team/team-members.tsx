import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { removeFromTeam, type Member, type Team } from "../../../api/organization/people.ts";
import { query } from "../../../api/query.ts";
import type { Found } from "../../../parts/lists/found.ts";
import { ListSection } from "../../../parts/lists/list-section.tsx";
import { Person } from "../../../parts/people/person.tsx";
import { Problem } from "../../../parts/states/problem.tsx";

interface Props {
  org: string;
  team: Team;
  members: Found<Member>;
  canRemove: boolean;
}

/** The members of a team. Further pages are requested with a button. */
export function TeamMembers({ org, team, members, canRemove }: Props) {
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: (userId: string) => removeFromTeam(org, team.id, userId),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({
          queryKey: query("/api/tenants/{tenant}/teams/{id}/members", { tenant: org, id: team.id }).queryKey,
        }),
        client.invalidateQueries({
          queryKey: query("/api/tenants/{tenant}/members", { tenant: org }).queryKey,
        }),
      ]),
  });
  return (
    <ListSection
      title="Members"
      filter={<Problem error={removing.error} />}
      found={members}
      rows={4}
      rowHeight={44}
      more="Show more members"
      empty="No one is in this team."
    >
      {(rows) => (
        <ul className="panel plain">
          {rows.map(({ userId, username, name, roleName }) => (
            <li key={userId} className="row">
              <span className="grow clip">
                <Person person={{ name, username }} member={{ org, userId }} />
              </span>
              <span className="meta">{roleName}</span>
              {canRemove && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${username} from the team`}
                  loading={removing.isPending && removing.variables === userId}
                  onClick={() => removing.mutate(userId)}
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </ListSection>
  );
}
