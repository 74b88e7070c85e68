import type { SkillDoc } from "../../storage/skills/skills.ts";

/** The description of a skill in a text, after the message of its deprecation. */
export const descriptionOf = ({ deprecated, description }: Pick<SkillDoc, "deprecated" | "description">) =>
  deprecated === undefined ? description : `(deprecated: ${deprecated}) ${description}`;
