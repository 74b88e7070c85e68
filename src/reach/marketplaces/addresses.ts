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
