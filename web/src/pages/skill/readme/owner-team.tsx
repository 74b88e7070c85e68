import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { may, organizationQuery } from "../../../api/account/session.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useRights } from "../context.ts";

/** The team that looks after the skill, for members; a link for those who may read teams. */
export function OwnerTeam({ skill: { tenantSlug: org, ownerTeam } }: { skill: Skill }) {
  const { isMember } = useRights();
  const isShown = isMember && ownerTeam !== undefined;
  const { data: organization } = useQuery({ ...organizationQuery(org), enabled: isShown });
  if (!isShown) return null;
  const { id: team, name } = ownerTeam;
  const canRead = organization !== undefined && may(organization.permissions, "member", "read");
  return (
    <section>
      <h3>Owner team</h3>
      <p className="sub small">
        {canRead ? (
          <Link to="/$org/-/people/teams/$team" params={{ org, team }}>
            {visibleText(name)}
          </Link>
        ) : (
          visibleText(name)
        )}
      </p>
    </section>
  );
}
