/** Descriptions in the lists that other clients read, which have no field of their own for a deprecation. */
import { cutAtWord } from "../../contract/text/cut-text.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { deprecationOf } from "../skills/marks/marks.ts";

/** The description, behind the message if the skill or the version is deprecated. Has at most `limit` characters. */
export function listedDescription(
  skill: Pick<SkillDoc, "deprecated" | "marks">,
  version: number,
  description: string,
  limit: number,
): string {
  const message = deprecationOf(skill, version);
  if (message === undefined) return description;
  return cutAtWord(`[Deprecated: ${message}] ${description}`.trimEnd(), limit);
}
