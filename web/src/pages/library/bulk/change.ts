/** One change of several skills: what it means for each, its effect on readers, and how it is taken back. */
import { queryOptions } from "@tanstack/react-query";
import { mapLimit } from "../../../../../contract/concurrency/map-limit.ts";
import { limits } from "../../../../../contract/limits.ts";
import { moveItem, type Exposure, type MoveResult, type Skill } from "../../../api/folders.ts";
import { updateSkill } from "../../../api/skills/skill-settings.ts";

export type BulkAct = "move" | "tags" | "visibility";
export type Change =
  | { folderId: string | null }
  | { visibility: Skill["visibility"] }
  | { add: string[]; remove: string[] };
/** The part of a change that concerns one skill. */
export type Patch = { folderId: string | null } | { visibility: Skill["visibility"] } | { tags: string[] };
export interface Step {
  skill: Skill;
  patch: Patch;
}
export interface Failure {
  skill: Skill;
  message: string;
}

const concurrency = 4;

/** The skills that a change concerns; others have its result already. */
export const stepsOf = (skills: readonly Skill[], change: Change): Step[] =>
  skills.flatMap((skill) => {
    const patch = patchOf(skill, change);
    return patch ? [{ skill, patch }] : [];
  });

function patchOf(skill: Skill, change: Change): Patch | undefined {
  if ("folderId" in change) return skill.folderId === change.folderId ? undefined : change;
  if ("visibility" in change) return skill.visibility === change.visibility ? undefined : change;
  const kept = skill.tags.filter((tag) => !change.remove.includes(tag));
  const tags = [...new Set([...kept, ...change.add])];
  return tags.join() === skill.tags.join() ? undefined : { tags };
}

/** The step that takes a step back. */
export function inverseOf({ skill, patch }: Step): Step {
  if ("folderId" in patch) return { skill, patch: { folderId: skill.folderId } };
  if ("tags" in patch) return { skill, patch: { tags: skill.tags } };
  return { skill, patch: { visibility: skill.visibility } };
}

async function run({ skill, patch }: Step, dryRun: boolean): Promise<MoveResult> {
  if ("folderId" in patch) return moveItem({ kind: "skill", id: skill.id }, patch.folderId, dryRun);
  if ("tags" in patch && patch.tags.length > limits.tagsPerSkill)
    throw new Error(`It would have ${patch.tags.length} tags, and ${limits.tagsPerSkill} are the limit.`);
  return updateSkill(skill.id, patch, dryRun);
}

/** Runs all steps, also after one that fails, and returns those that failed. */
export async function runSteps(steps: readonly Step[], onDone: () => void = () => {}): Promise<Failure[]> {
  const outcomes = await mapLimit(steps, concurrency, async (step): Promise<Failure[]> => {
    try {
      await run(step, false);
      return [];
    } catch (error) {
      return [{ skill: step.skill, message: messageOf(error) }];
    } finally {
      onDone();
    }
  });
  return outcomes.flat();
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "The request failed.");

/** Audiences, the largest first. */
const audiences: readonly Exposure["before"]["visibility"][] = [
  "public",
  "unlisted",
  "organization",
  "restricted",
];

export interface BulkEffect {
  /** Skills that more people can read afterwards. */
  wider: Skill[];
  /** Skills that fewer people can read afterwards. */
  narrower: Skill[];
  refused: Failure[];
}

/** The effect of all steps on readers, from a dry run of each. */
export const bulkEffectQuery = (steps: readonly Step[]) =>
  queryOptions({
    queryKey: ["bulk-effect", steps.map(({ skill, patch }) => [skill.id, patch])],
    staleTime: 10_000,
    retry: false,
    queryFn: async (): Promise<BulkEffect> => {
      const effects = await mapLimit(steps, concurrency, effectOf);
      return {
        wider: effects.flatMap(({ wider }) => wider),
        narrower: effects.flatMap(({ narrower }) => narrower),
        refused: effects.flatMap(({ refused }) => refused),
      };
    },
  });

async function effectOf(step: Step): Promise<BulkEffect> {
  try {
    const { exposure, readers } = await run(step, true);
    const rank = ({ visibility }: Exposure["before"]) => audiences.indexOf(visibility);
    const isWider = exposure.widened || (readers?.gain ?? 0) > 0;
    const isNarrower = (readers?.lose ?? 0) > 0 || rank(exposure.after) > rank(exposure.before);
    return { wider: isWider ? [step.skill] : [], narrower: isNarrower ? [step.skill] : [], refused: [] };
  } catch (error) {
    return { wider: [], narrower: [], refused: [{ skill: step.skill, message: messageOf(error) }] };
  }
}
