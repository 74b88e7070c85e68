/**
 * The fields of responses that the client relies on. Each response is checked: a wrong address, a proxy or a faulty
 * service may return anything, which is reported and not used. These are not the schemas of
 * `contract/`, since loading their library takes longer than a short command.
 */

/** `slug` and `id` are used in commands to copy, in paths and in the local state, so their characters are limited. */
type Kind = "text" | "slug" | "id" | "whole" | "flag";

export const patterns = { slug: /^[a-z0-9]+(?:-+[a-z0-9]+)*$/, id: /^[A-Za-z0-9]{1,64}$/ };

/** A kind, with `?` if it may be absent or null; an object with its fields; in brackets, a list. */
export type Shape = Kind | `${Kind}?` | readonly [Shape] | { readonly [field: string]: Shape };

export function fits(value: unknown, shape: Shape): boolean {
  if (Array.isArray(shape))
    return Array.isArray(value) && value.every((item) => fits(item, shape[0] as Shape));
  if (typeof shape === "object")
    return (
      typeof value === "object" &&
      value !== null &&
      Object.entries(shape).every(([field, own]) => fits((value as Record<string, unknown>)[field], own))
    );
  if (shape.endsWith("?") && (value === undefined || value === null)) return true;
  if (shape.startsWith("text")) return typeof value === "string";
  if (shape.startsWith("slug")) return typeof value === "string" && patterns.slug.test(value);
  if (shape.startsWith("id")) return typeof value === "string" && patterns.id.test(value);
  return shape.startsWith("whole") ? Number.isSafeInteger(value) : typeof value === "boolean";
}

const named = { publicId: "id", slug: "slug", name: "text", type: "text" } as const;
const current = { currentVersion: "whole", currentSemver: "text", tenantSlug: "slug" } as const;
const skill = { ...named, ...current, visibility: "text" } as const;
const described = { ...skill, description: "text" } as const;

const release = { version: "whole", semver: "text", format: "text", fileCount: "whole?" } as const;
const version = { ...release, id: "text", message: "text", createdAt: "text" } as const;

const token = {
  id: "text",
  name: "text",
  createdAt: "text",
  expiresAt: "text?",
  lastUsedAt: "text?",
} as const;

const folder = { id: "text", parentId: "text?", name: "text", slug: "text", path: "text" } as const;

const exposure = { after: { visibility: "text" }, widened: "flag", versions: "whole?" } as const;

export const shapes = {
  identity: {
    username: "text",
    name: "text",
    email: "text",
    memberships: [{ slug: "text", name: "text" }],
    pendingInvitations: [{ organizationName: "text" }],
  },
  currentToken: { name: "text" },
  tenants: [{ id: "text", slug: "slug", name: "text" }],
  skills: [{ ...described, tenantId: "text", folderId: "text?" }],
  search: [{ skill: described, own: "flag" }],
  catalog: [{ ...named, ...current, description: "text", downloads: "whole" }],
  resolved: {
    skill: { ...described, tenantId: "text" },
    version: { ...release, hash: "text", frontmatterHash: "text?" },
    own: "flag?",
  },
  versions: [{ ...version, current: "flag" }],
  content: { content: "text", frontmatter: "text?" },
  manifest: { hash: "text", files: [{ path: "text", size: "whole", sha256: "text", mode: "text" }] },
  published: {
    action: "text",
    skill: { ...skill, tenantId: "text", folderId: "text?" },
    version: release,
    url: "text",
    ignoredFlags: ["text"],
    warnings: ["text"],
  },
  publishPlan: {
    action: "text",
    unchanged: "flag",
    skill: {
      publicId: "id?",
      slug: "slug",
      tenantSlug: "slug",
      name: "text",
      type: "text",
      visibility: "text",
    },
    semver: "text",
    ignoredFlags: ["text"],
  },
  versionPlan: { semver: "text", unchanged: "flag" },
  pushed: { ...version, warnings: ["text"] },
  folders: [{ ...folder, skillCount: "whole" }],
  createdFolder: { path: "text", created: ["text"], alreadyExisted: "flag" },
  moved: {
    skill: { id: "text", slug: "slug", name: "text", tenantId: "text" },
    from: { folderId: "text?" },
    to: { folderId: "text?", path: "text" },
    moved: "flag",
    exposure,
  },
  changed: { ...skill, exposure },
  skill: { ...skill, withheld: "flag?" },
  version: release,
  reverted: skill,
  renamed: { skill, from: "slug", renamed: "flag" },
  tokens: [token],
  createdToken: { ...token, token: "text" },
  upload: { uploadId: "text", url: "text" },
  registered: { identity: { id: "text" } },
  shared: {
    skill: { publicId: "id", slug: "slug", name: "text" },
    url: "text",
    identity: { username: "text", tenantSlug: "slug", anonymous: "flag" },
    warnings: ["text"],
  },
  offeredClient: { version: "text" },
  exchanged: { token: "text", expiresAt: "text" },
} as const satisfies Record<string, Shape>;
