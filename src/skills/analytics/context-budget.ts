/**
 * Estimated tokens that installed skills take in the context of agents: a tool loads the names and descriptions of all
 * skills that are installed for it. Over the skills that the caller may read; members are counted, never named.
 */
import { contextSteps } from "../../../contract/context-steps.ts";
import type { TenantContextPayload } from "../../../contract/payloads/usage/context-budget.ts";
import type { Target } from "../../../contract/vocabulary.ts";
import type { Setup } from "../../../storage/lookups/install-groups.ts";
import type { UsedSkill } from "../../../storage/lookups/usage.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { idleTokens } from "./idle-tokens.ts";
import { loadReadable } from "./organization-analytics.ts";
import { named, readableSkills } from "./organization-usage.ts";
import { scopeOf } from "./team-usage.ts";

/** Maximum number of tools on machines in a result. */
const maxSetups = 50_000;
const shown = 20;

/** Requires `analytics:read` and `skill:read`. */
export async function readContextBudget(app: App, actor: Actor, ref: string): Promise<TenantContextPayload> {
  const readable = await loadReadable(app, actor, ref);
  const [skills, setups] = await Promise.all([
    readableSkills(app, readable),
    scopeOf(app, readable).then((scope) => app.storage.installGroups.listSetups(scope, maxSetups)),
  ]);
  const costs = new Map(skills.map((skill) => [skill._id, idleTokens(skill)]));
  const tools = toolsOf(setups, costs);
  return {
    isComplete: setups.length < maxSetups,
    people: new Set(setups.map(({ userId }) => userId)).size,
    steps: [...contextSteps],
    tools,
    skills: largest(skills, setups, costs),
  };
}

/** People by the tokens in each tool. A person with several machines counts with the one that has most. */
function toolsOf(
  setups: readonly Setup[],
  costs: ReadonlyMap<string, number>,
): TenantContextPayload["tools"] {
  const tools = new Map<Target, Map<string, number>>();
  for (const { userId, platform, skillIds } of setups) {
    const tokens = skillIds.reduce((sum, id) => sum + (costs.get(id) ?? 0), 0);
    const people = tools.get(platform) ?? new Map<string, number>();
    people.set(userId, Math.max(people.get(userId) ?? 0, tokens));
    tools.set(platform, people);
  }
  return [...tools]
    .map(([platform, people]) => {
      const values = [...people.values()].toSorted((a, b) => a - b);
      return {
        platform,
        people: values.length,
        median: values[Math.floor((values.length - 1) / 2)] ?? 0,
        largest: values.at(-1) ?? 0,
        distribution: contextSteps.map(
          (from, at) =>
            values.filter((one) => one >= from && one < (contextSteps[at + 1] ?? Infinity)).length,
        ),
      };
    })
    .toSorted((a, b) => b.people - a.people || (a.platform < b.platform ? -1 : 1));
}

/** The skills with the largest share of all tokens that the tools load. */
function largest(
  skills: readonly UsedSkill[],
  setups: readonly Setup[],
  costs: ReadonlyMap<string, number>,
): TenantContextPayload["skills"] {
  const counts = new Map<string, number>();
  for (const { skillIds } of setups) for (const id of skillIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const loaded = skills
    .flatMap((skill) => {
      const setupsOfSkill = counts.get(skill._id);
      const idle = costs.get(skill._id) ?? 0;
      return setupsOfSkill ? [{ skill, idle, setups: setupsOfSkill, tokens: idle * setupsOfSkill }] : [];
    })
    .toSorted((a, b) => b.tokens - a.tokens);
  const all = loaded.reduce((sum, { tokens }) => sum + tokens, 0);
  return loaded.slice(0, shown).map(({ skill, idle, setups: count, tokens }) => ({
    skill: named(skill),
    idle,
    setups: count,
    share: Math.round((tokens / all) * 1000) / 10,
  }));
}
