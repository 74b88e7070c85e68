/** Texts with the frontmatter that tools require. */
import { readSkillText, type SkillText } from "../../../contract/checks/skill-rules.ts";
import { completeHead, type RequiredValues } from "../../../contract/document/edit-frontmatter.ts";

export interface CompletedText {
  /** The frontmatter with the values that every tool requires. */
  head: string;
  /** How head and body read. */
  text: SkillText;
}

/** `known`: how the text reads without a change. */
export function completeText(
  { head, body, values }: { head: string; body: string; values: RequiredValues },
  known?: SkillText,
): CompletedText {
  const completed = completeHead(head, values);
  const text = known && completed === head ? known : readSkillText(completed + body, "markdown");
  return { head: completed, text };
}
