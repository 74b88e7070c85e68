/** Calls about the access to folders and skills (`docs/concepts/access.md`). */
import { limits } from "../../../contract/limits.ts";
import type {
  ChangedFolderAccessPayload,
  EffectiveAccessPayload,
  FolderAccessPayload,
  PlannedAccessPayload,
} from "../../../contract/payloads/organizations/folders.ts";
import type { FolderLevel, PrincipalType } from "../../../contract/vocabulary.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";
import { collectPages } from "../pages.ts";
import type { Shape } from "../shapes.ts";

const principal = { type: "text", id: "id", name: "text?" } as const;
const access = {
  restricted: "flag",
  grants: [{ principal, level: "text" }],
  governingFolderId: "id?",
  canManage: "flag",
  revision: "whole",
} as const;
const shapes = {
  access,
  changedAccess: { ...access, exposure: { widened: "flag", after: { visibility: "text" } } },
  effective: [
    {
      principal,
      can: ["text"],
      reasons: [{ kind: "text", id: "text?", name: "text?", type: "text?", level: "text?" }],
    },
  ],
  planned: [{ principal, before: ["text"], can: ["text"] }],
} as const satisfies Record<string, Shape>;

export interface AccessInput {
  restricted: boolean;
  grants: { principal: { type: PrincipalType; id: string }; level: FolderLevel }[];
}

export type AccessCalls = ReturnType<typeof openAccessCalls>;

const limit = limits.pageSizeMax;
/** The commands are about members; the list has tokens as well. */
const isMember = ({ principal: { type } }: PlannedAccessPayload | EffectiveAccessPayload) =>
  type === "member";

/** Lists are read to their last page. */
export function openAccessCalls(options: HttpOptions) {
  const { get, page, call } = openCaller(options);
  const folder = (id: string, path: string) => `/api/folders/${encodeURIComponent(id)}${path}`;
  const readers = async (path: string, query: string | undefined) =>
    (
      await collectPages((cursor) =>
        page<EffectiveAccessPayload>(path, shapes.effective, { query, limit, cursor }),
      )
    ).items.filter(isMember);
  return {
    folderAccess: (id: string) => get<FolderAccessPayload>(folder(id, "/access"), shapes.access),
    changeAccess: async (id: string, input: AccessInput & { revision: number; dryRun?: true }) =>
      (
        await call<ChangedFolderAccessPayload>({
          method: "PUT",
          path: folder(id, "/access"),
          shape: shapes.changedAccess,
          input,
        })
      ).data,
    /** `query`: beginning of a user name, or of a word of a name. */
    folderReaders: (id: string, query?: string) => readers(folder(id, "/effective"), query),
    skillReaders: (skill: string, query?: string) =>
      readers(`/api/skills/${encodeURIComponent(skill)}/effective`, query),
    /** Access of each member before and after a change, which is not made. */
    async planAccess(id: string, input: AccessInput): Promise<PlannedAccessPayload[]> {
      const path = folder(id, "/effective");
      const shape = shapes.planned;
      const { items } = await collectPages(async (cursor) => {
        const query = { limit, cursor };
        const { data, nextCursor } = await call<PlannedAccessPayload[]>({
          method: "POST",
          path,
          shape,
          query,
          input,
        });
        return { items: data, nextCursor };
      });
      return items.filter(isMember);
    },
  };
}
