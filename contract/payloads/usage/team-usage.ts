/** Installs by team, as they cross the wire. */
import { z } from "zod";
import { namedSkill } from "./analytics.ts";

const count = z.number().int();
const team = z.object({ id: z.string(), name: z.string() });
const counts = {
  people: count.meta({ description: "members who have it installed; each counts in all of their teams" }),
  installs: count.meta({ description: "their install locations" }),
};
const outdated = count.meta({
  description: "install locations with a version other than the one that installs resolve to",
});
const list = {
  isComplete: z.boolean().meta({ description: "false if there are more than 20,000 groups of installs" }),
  people: count,
  count: count.meta({ description: "teams with installs" }),
};
const members = count.meta({ description: "all members of the team" });

export const SkillTeamsPayload = z
  .object({
    ...list,
    teams: z
      .array(z.object({ team, members, ...counts, outdated }))
      .meta({ description: "at most 100, those with the most people first" }),
    withoutTeam: z.object({ ...counts, outdated }),
  })
  .meta({ id: "SkillTeams" });
export type SkillTeamsPayload = z.infer<typeof SkillTeamsPayload>;

export const TenantTeamsPayload = z
  .object({
    ...list,
    teams: z
      .array(z.object({ team, members, ...counts }))
      .meta({ description: "at most 100, those with the most people first" }),
    withoutTeam: z.object(counts),
  })
  .meta({ id: "OrganizationTeams" });
export type TenantTeamsPayload = z.infer<typeof TenantTeamsPayload>;

export const TeamUsagePayload = z
  .object({
    team,
    members,
    isComplete: list.isComplete,
    count: count.meta({ description: "skills that its members have installed" }),
    skills: z
      .array(z.object({ skill: namedSkill, ...counts, outdated }))
      .meta({ description: "at most 50, those with the most people first" }),
  })
  .meta({ id: "TeamUsage" });
export type TeamUsagePayload = z.infer<typeof TeamUsagePayload>;
