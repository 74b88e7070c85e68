/** The skill that the address names, with what the caller may do with it. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { foldersQuery, identityQuery } from "../../api/account/session.ts";
import {
  manifestQuery,
  refOf,
  skillQuery,
  versionQuery,
  type Skill,
  type Version,
} from "../../api/skills/skills.ts";

/** Reference and address of the skill, and the version that is shown; undefined for the current one. */
export function useSkillAddress() {
  const { org, slug } = useParams({ strict: false }) as { org: string; slug: string };
  const { version } = useSearch({ strict: false }) as { version?: string };
  return { org, slug, ref: refOf({ org, slug }), version };
}

export function useSkill(): Skill {
  return useSuspenseQuery(skillQuery(useSkillAddress().ref)).data;
}

/** Whether the address selects another version than the current one. */
export function useIsOtherVersion({ currentSemver, currentVersion }: Skill): boolean {
  const { version } = useSkillAddress();
  return version !== undefined && version !== currentSemver && version !== String(currentVersion);
}

/** The version in the address, or the current one. */
export function useShownVersion(skill: Skill): Version | undefined {
  const { ref, version = "" } = useSkillAddress();
  const isOther = useIsOtherVersion(skill);
  const isNumber = /^\d+$/.test(version);
  const { data: numbered } = useQuery({ ...manifestQuery(ref, version), enabled: isOther && isNumber });
  const semver = isNumber ? numbered?.semver : version;
  const { data } = useQuery({
    ...versionQuery(ref, semver ?? ""),
    enabled: isOther && semver !== undefined,
  });
  return isOther ? (data ?? undefined) : skill.currentVersionInfo;
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
