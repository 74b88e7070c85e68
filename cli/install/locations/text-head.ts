import type { CacheMeta } from "../../state/cache.ts";

/** A text's frontmatter, whose name must be that of the folder; the service has set it to the slug. */
export async function headFor(
  { slug, description, frontmatter }: Pick<CacheMeta, "slug" | "description" | "frontmatter">,
  installName: string,
): Promise<string | undefined> {
  if (frontmatter === undefined || installName === slug) return frontmatter;
  const { completeHead } = await import("../../../contract/document/edit-frontmatter.ts");
  return completeHead(frontmatter, { name: installName, description });
}
