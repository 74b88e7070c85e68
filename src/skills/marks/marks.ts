/** Versions that their publishers advise against (`docs/concepts/versions.md`). Pure. */
import type { SkillDoc, VersionMark } from "../../../storage/skills.ts";

type Marked = Pick<SkillDoc, "marks">;

export function markOf({ marks = [] }: Marked, version: number): VersionMark | undefined {
  return marks.find((mark) => mark.version === version);
}

/** The versions that a range may resolve to. */
export function withoutYanked<V extends { version: number }>(
  { marks = [] }: Marked,
  versions: readonly V[],
): readonly V[] {
  const yanked = new Set(marks.filter((mark) => mark.yanked).map((mark) => mark.version));
  return yanked.size === 0 ? versions : versions.filter(({ version }) => !yanked.has(version));
}

/** Reasons not to install a version, as sentences. */
export function warningsAbout(
  skill: Marked & Pick<SkillDoc, "tenantSlug" | "slug">,
  { version, semver }: { version: number; semver: string },
): string[] {
  const mark = markOf(skill, version);
  const name = `${skill.tenantSlug}/${skill.slug} ${semver}`;
  return [
    ...(mark?.yanked ? [`${name} is yanked by its publisher: install another version.`] : []),
    ...(mark?.deprecated === undefined ? [] : [`${name} is deprecated: ${mark.deprecated}`]),
  ];
}

export interface MarkChange {
  deprecated?: string | null;
  yanked?: boolean;
}

/** The marks after a change of one version, in ascending order. */
export function changeMarks(
  { marks = [] }: Marked,
  { version, semver }: { version: number; semver: string },
  change: MarkChange,
): VersionMark[] {
  const before = markOf({ marks }, version);
  const deprecated = change.deprecated === undefined ? before?.deprecated : (change.deprecated ?? undefined);
  const yanked = change.yanked ?? before?.yanked ?? false;
  const mark: VersionMark = {
    version,
    semver,
    deprecated,
    yanked: yanked || undefined,
  };
  const others = marks.filter((other) => other.version !== version);
  const isMarked = yanked || deprecated !== undefined;
  return [...others, ...(isMarked ? [mark] : [])].toSorted((a, b) => a.version - b.version);
}
