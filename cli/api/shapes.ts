/**
 * What the client relies on in the service's answers, held against each of them: at a wrong address, behind a proxy
 * that makes up answers, or of a service gone bad, what is another thing is told as that and gets no further. Not the
 * schemas of `contract/`: loading their library takes longer than a short command.
 */

type Kind = "text" | "whole" | "flag";

/** A kind, with `?` where it may be absent or null; an object by its fields; in brackets, a list of it. */
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
  return shape.startsWith("whole") ? Number.isSafeInteger(value) : typeof value === "boolean";
}

const named = { publicId: "text", slug: "text", name: "text", type: "text" } as const;
const current = { currentVersion: "whole", currentSemver: "text", tenantSlug: "text" } as const;
const skill = { ...named, ...current, visibility: "text" } as const;
const described = { ...skill, description: "text" } as const;

const release = { version: "whole", semver: "text", format: "text", fileCount: "whole?" } as const;
const version = { ...release, id: "text", message: "text", createdAt: "text" } as const;

const folder = { id: "text", parentId: "text?", name: "text", slug: "text", path: "text" } as const;

export const shapes = {
  identity: {
    username: "text",
    name: "text",
    email: "text",
    memberships: [{ slug: "text", name: "text" }],
    pendingInvitations: [{ organizationName: "text" }],
  },
  tenants: [{ id: "text", slug: "text", name: "text" }],
  skills: [{ ...described, tenantId: "text", folderId: "text?" }],
  catalog: [{ ...named, ...current, description: "text", downloads: "whole" }],
  resolved: { skill: described, version: { ...release, hash: "text" } },
  versions: [{ ...version, current: "flag" }],
  content: { content: "text" },
  manifest: { hash: "text", files: [{ path: "text", size: "whole", sha256: "text", mode: "text" }] },
  published: {
    action: "text",
    skill: { ...skill, tenantId: "text", folderId: "text?" },
    version: release,
    url: "text",
    ignoredFlags: ["text"],
    warnings: ["text"],
  },
  pushed: { ...version, warnings: ["text"] },
  folders: [{ ...folder, skillCount: "whole" }],
  createdFolder: { path: "text", created: ["text"], alreadyExisted: "flag" },
  moved: {
    skill: { id: "text", slug: "text", name: "text", tenantId: "text" },
    from: { folderId: "text?" },
    to: { folderId: "text?", path: "text" },
    moved: "flag",
  },
  upload: { uploadId: "text", url: "text" },
  registered: { identity: { id: "text" } },
  shared: {
    skill: { publicId: "text", slug: "text", name: "text" },
    url: "text",
    identity: { username: "text", tenantSlug: "text", anonymous: "flag" },
    warnings: ["text"],
  },
  exchanged: { token: "text", expiresAt: "text" },
} as const satisfies Record<string, Shape>;
