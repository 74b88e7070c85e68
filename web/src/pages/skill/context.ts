/** The skill that the address names, with what the caller may do with it. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { foldersQuery, identityQuery } from "../../api/account/session.ts";
import { refOf, skillQuery, type Skill } from "../../api/skills/skills.ts";

/** Reference and address of the skill, and the version that is shown; undefined for the current one. */
export function useSkillAddress() {
  const { org, slug } = useParams({ strict: false }) as { org: string; slug: string };
  const { version } = useSearch({ strict: false }) as { version?: string };
  return { org, slug, ref: refOf({ org, slug }), version };
}

export function useSkill(): Skill {
  return useSuspenseQuery(skillQuery(useSkillAddress().ref)).data;
}

export interface Rights {
  isMember: boolean;
  canUpdate: boolean;
  canDelete: boolean;
  canReadAnalytics: boolean;
}

/** Permissions of the caller for the skill, as the API reports them. */
export function useRights(): Rights {
  const { ref, org } = useSkillAddress();
  const { data: identity } = useQuery(identityQuery);
  const { data: skill } = useQuery(skillQuery(ref));
  const can = skill?.can ?? [];
  return {
    isMember: identity?.memberships.some(({ slug }) => slug === org) === true,
    canUpdate: can.includes("update"),
    canDelete: can.includes("delete"),
    canReadAnalytics: can.includes("analytics"),
  };
}

/** The folder of a skill, for members of its organization. */
export function useFolder(skill: Skill) {
  const { isMember } = useRights();
  const { data: folders } = useQuery({ ...foldersQuery(skill.tenantSlug), enabled: isMember });
  return folders?.find(({ id }) => id === skill.folderId);
}
