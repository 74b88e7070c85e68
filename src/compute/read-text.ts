/** Reading of texts with frontmatter, whose YAML can take 30 times as long as a harmless one of its size. */
import { readSkillText, type SkillText } from "../../contract/checks/skill-rules.ts";
import type { RequiredValues } from "../../contract/document/edit-frontmatter.ts";
import { cutFences } from "../../contract/document/frontmatter.ts";
import type { ContentFormat } from "../../contract/vocabulary.ts";
import type { CallerCompute } from "./compute.ts";
import { completeText as completeHere, type CompletedText } from "./pieces/complete-text.ts";

/** Characters that begin a token of YAML. Each takes the parser up to ten microseconds. */
const yamlIndicators = /[[\]{}?:,\-&*!%|>'"#@`\n]/g;
const maxIndicators = 128;

/** Whether reading the text takes little time, whatever is in it. */
function isCheap(source: string): boolean {
  const yaml = cutFences(source)?.yaml ?? "";
  return (yaml.match(yamlIndicators)?.length ?? 0) <= maxIndicators;
}

/** Reads a text skill or a package's SKILL.md. Throws `too_costly` and other errors of `run`. */
export async function readText(
  compute: CallerCompute,
  source: string,
  format: ContentFormat,
): Promise<SkillText> {
  return isCheap(source) ? readSkillText(source, format) : compute.run("read-text", { source, format });
}

/** Completes the head of a text skill that was read. */
export async function completeText(
  compute: CallerCompute,
  text: SkillText,
  values: RequiredValues,
): Promise<CompletedText> {
  const { head, body } = text;
  if (!isCheap(head)) return compute.run("complete-text", { head, body, values });
  return completeHere({ head, body, values }, text);
}
