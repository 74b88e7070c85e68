import { Button, Select } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { may, organizationQuery } from "../../../api/account/session.ts";
import { teamsQuery } from "../../../api/organization/people.ts";
import { updateSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { Problem } from "../../../parts/states/problem.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";

/** Value of no team in the select, which takes no null. */
const none = "none";

/** The team that looks after the skill, for those who may read teams. */
export function OwnerTeamForm({ skill }: { skill: Skill }) {
  const { org, ref } = useSkillAddress();
  const changed = useChanged(ref);
  const { data: organization } = useQuery(organizationQuery(org));
  const canRead = organization !== undefined && may(organization.permissions, "member", "read");
  const { data: teams } = useQuery({ ...teamsQuery(org), enabled: canRead });
  const own = skill.ownerTeam?.id ?? none;
  const [chosen, setChosen] = useState(own);
  const save = useMutation({
    mutationFn: () => updateSkill(ref, { ownerTeamId: chosen === none ? null : chosen }),
    onSuccess: changed,
  });
  if (!canRead || !teams) return null;
  return (
    <form
      className="panel"
      aria-label="Owner team"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <header>
        <h2>Owner team</h2>
      </header>
      <div className="body stack gap-4">
        {teams.length === 0 ? (
          <p className="sub">
            There are no teams.{" "}
            <Link to="/$org/-/people/teams" params={{ org }}>
              Teams of the organization
            </Link>
          </p>
        ) : (
          <Select
            label="Team"
            description="Members see whom to ask about the skill. The team gets no further rights."
            searchable={teams.length > 10}
            limit={200}
            allowDeselect={false}
            data={[
              { value: none, label: "No team" },
              ...teams.map(({ id, name }) => ({ value: id, label: visibleText(name) })),
            ]}
            value={chosen}
            onChange={(value) => setChosen(value ?? own)}
          />
        )}
        <Problem error={save.error} />
      </div>
      {teams.length > 0 && (
        <footer className="row">
          <Button type="submit" disabled={chosen === own} loading={save.isPending}>
            Save
          </Button>
          <span className="meta" role="status">
            {save.isSuccess && "Saved."}
          </span>
        </footer>
      )}
    </form>
  );
}
