import { estimateTokens } from "../../../contract/text/estimate-tokens.ts";

/** Estimated tokens of a skill in an agent's context before it is used: agents read the name and description first. */
export function idleTokens({ slug, description }: { slug: string; description: string }): number {
  return estimateTokens(`${slug} ${description}`);
}
