/** Addresses of marketplaces. `-` is never a slug, so they differ from those of skills. */

/** `part`: `public`, `members`, or the slug of a collection. */
export function marketplaceAddress(
  baseUrl: string,
  org: string,
  part: string,
  isCollection: boolean,
): string {
  if (isCollection) return `${baseUrl}/${org}/-/collections/${part}.git`;
  return part === "public" ? `${baseUrl}/${org}.git` : `${baseUrl}/${org}/-/members.git`;
}

export const skillPage = (baseUrl: string, org: string, slug: string) => `${baseUrl}/${org}/${slug}`;

/** Address of the same marketplace as a JSON document. */
export const catalogAddress = (gitAddress: string) =>
  `${gitAddress.replace(/\.git$/, "")}/claude/marketplace.json`;

/** Address of the zip of a version. */
export function packageAddress(
  baseUrl: string,
  org: string,
  { slug, semver, isPublic }: { slug: string; semver: string; isPublic: boolean },
): string {
  return `${baseUrl}/${org}/${isPublic ? "" : "-/packages/"}${slug}/${encodeURIComponent(semver)}.zip`;
}
