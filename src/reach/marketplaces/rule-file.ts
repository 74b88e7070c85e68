import { cutFences } from "../../../contract/document/frontmatter.ts";
import { cursorRule } from "../../../contract/rule-files.ts";
import type { SmallFile } from "../../../repos/store/index.ts";
import type { App } from "../../app.ts";
import { rootFileOf } from "../../skills/publish/content/text-source.ts";

/** A text rule as a file of Cursor, in the folder of its plugin. */
export async function ruleFile(
  app: App,
  skill: { tenantId: string; skillId: string },
  { slug, title, description, commit }: Record<"slug" | "title" | "description" | "commit", string>,
): Promise<SmallFile> {
  const file = await app.repos.readFile(skill, commit, rootFileOf("rule"));
  if (!file) throw new Error(`commit ${commit} has no text of a rule`);
  const text = file.data.toString("utf8");
  const { opening = "", yaml = "", closing = "", body = text } = cutFences(text) ?? {};
  const rule = { type: "rule", name: title, description, head: opening + yaml + closing, body } as const;
  return { path: `rules/${slug}.mdc`, data: Buffer.from(cursorRule(rule)) };
}
