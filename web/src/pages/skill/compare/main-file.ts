import { fileQuery, type Skill } from "../../../api/skills/skills.ts";

/** The text whose frontmatter has the description. */
export const mainFileQuery = (ref: string, { type, format }: Skill, semver: string) => ({
  ...fileQuery(ref, type === "rule" && format === "markdown" ? "RULE.md" : "SKILL.md", semver),
  retry: false,
});
