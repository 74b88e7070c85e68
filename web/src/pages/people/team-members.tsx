import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { removeFromTeam, type Member, type Team } from "../../api/people.ts";
import { Initials } from "../../parts/avatar.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";

interface Props {
  org: string;
  team: Team;
  members: {
    data?: { pages: { data: Member[] }[] } | undefined;
    error: unknown;
    isPending: boolean;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
    refetch(): unknown;
  };
  canRemove: boolean;
}

/** The members of a team. Further pages are requested with a button. */
export function TeamMembers({ org, team, members, canRemove }: Props) {
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: (userId: string) => removeFromTeam(org, team.id, userId),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["team-members", org, team.id] }),
        client.invalidateQueries({ queryKey: ["members", org] }),
      ]),
  });
  const rows = members.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className="stack g3" aria-label="Members of the team">
      <h2>Members</h2>
      <Problem error={members.error ?? removing.error} retry={() => void members.refetch()} />
      {members.isPending && <SkeletonRows height={44} rows={4} />}
      {rows.length === 0 && !members.isPending && <p className="sub">No one is in this team.</p>}
      <ul className="panel plain">
        {rows.map(({ userId, username, name, roleName }) => (
          <li key={userId} className="row">
            <Initials name={name || username} />
            <span className="grow clip">
              <b>{name || username}</b> <span className="meta">{username}</span>
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
      {members.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={members.isFetchingNextPage}
          onClick={() => void members.fetchNextPage()}
        >
          Show more members
        </Button>
      )}
    </section>
  );
}
