import type { SkillRenamed } from "../errors.ts";

/**
 * The path of a request with the current name of the skill that it names, as `org~slug` or `org/slug`, the latter also
 * with an extension such as `.git`. Undefined if the path does not name the skill.
 */
export function renamedPath(path: string, { from, to }: SkillRenamed): string | undefined {
  const [fromOrg, fromSlug] = from.split("/");
  const [toOrg = "", toSlug = ""] = to.split("/");
  const segments = path.split("/");
  for (const [at, segment] of segments.entries()) {
    const text = decoded(segment);
    if (text === `${fromOrg}~${fromSlug}`) return segments.with(at, `${toOrg}~${toSlug}`).join("/");
    const [, slug, extension = ""] = /^([^.]*)(\.[a-z]+)?$/.exec(text) ?? [];
    if (slug === fromSlug && at > 0 && decoded(segments[at - 1]!) === fromOrg)
      return segments
        .with(at, toSlug + extension)
        .with(at - 1, toOrg)
        .join("/");
  }
  return undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
