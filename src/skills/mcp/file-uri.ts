/** Addresses of skills and their files as resources: `skill://org/slug/path`, with `?version=` for an old version. */
import type { SkillDoc } from "../../../storage/skills/skills.ts";

export interface FileAddress {
  org: string;
  slug: string;
  /** Without slashes at its ends; empty for the skill's own directory. */
  path: string;
  version?: string;
}

export function fileUri(
  skill: Pick<SkillDoc, "tenantSlug" | "slug">,
  path: string,
  version?: number,
): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const query = version === undefined ? "" : `?version=${version}`;
  return new URL(`skill://${skill.tenantSlug}/${skill.slug}/${encoded}${query}`).href;
}

/** Undefined for an address of another form. */
export function readFileUri(uri: string): FileAddress | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { protocol, host, pathname, search, searchParams, hash, username, password } = new URL(uri);
  if (protocol !== "skill:" || username !== "" || password !== "" || hash !== "") return undefined;
  const [slug = "", ...rest] = pathname.slice(1).split("/").map(decoded);
  const path = rest.join("/").replace(/\/$/, "");
  if (!/^[a-z0-9-]+$/.test(host) || !/^[a-z0-9-]+$/.test(slug) || path.includes("\0")) return undefined;
  const version = searchParams.get("version");
  if (search !== "" && (version === null || [...searchParams].length > 1)) return undefined;
  return { org: host, slug, path, version: version === null ? undefined : version };
}

/** A part that is not valid stays as it is, and is then the name of no file. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
