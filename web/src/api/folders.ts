/** Folders, the skills in them, and who has access to them. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type QueryClient,
} from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "./client.ts";
import { pages, query, type Path } from "./query.ts";

export type Folder = Schemas["Folder"];
export type Skill = Schemas["Skill"];
export type FolderAccess = Schemas["FolderAccess"];
export type Grant = FolderAccess["grants"][number];
export type Level = Grant["level"];
export type Exposure = Schemas["Exposure"];
export type AccessReason = Schemas["AccessReason"];
/** A restriction with its grants, as the caller has edited it. */
export type AccessDraft = Pick<FolderAccess, "restricted" | "grants">;
/** A folder or a skill. */
export interface Subject {
  kind: "folder" | "skill";
  id: string;
}

const pageSize = 200;

/** All skills of an organization that the caller may read, page by page. */
export const organizationSkillsQuery = (org: string) =>
  pages("/api/skills", { tenant_id: org, limit: pageSize });

/** The skills that the search finds by the words of a task, the best first. */
export const foundSkillsQuery = (org: string, words: string) =>
  queryOptions({
    ...query("/api/skills", { tenant_id: org, query: words, limit: pageSize }),
    placeholderData: keepPreviousData,
  });

/** Skills that no member installed or updated for 90 days. */
export const uninstalledQuery = (tenant: string) =>
  query("/api/tenants/{tenant}/analytics/uninstalled", { tenant });

export const folderAccessQuery = (folder: string) => query("/api/folders/{folder}/access", { folder });

/** Acts that each member may do with a folder or skill, and why. */
export const effectiveQuery = ({ kind, id }: Subject, text: string) =>
  infiniteQueryOptions({
    ...(kind === "folder"
      ? pages("/api/folders/{folder}/effective", { folder: id, limit: pageSize, query: text })
      : pages("/api/skills/{skill}/effective", { skill: id, limit: pageSize, query: text })),
    placeholderData: keepPreviousData,
  });

/** Reads again who has access to what is shown. */
export const invalidateEffective = (client: QueryClient): Promise<unknown> =>
  Promise.all(
    (["/api/folders/{folder}/effective", "/api/skills/{skill}/effective"] satisfies Path[]).map((path) =>
      client.invalidateQueries({ queryKey: [path] }),
    ),
  );

const toBody = ({ restricted, grants }: AccessDraft) => ({
  restricted,
  grants: grants.map(({ principal: { type, id }, level }) => ({ principal: { type, id }, level })),
});

/** Acts that each of the first members may do before and after a change of restriction and grants. */
export const plannedAccessQuery = (folder: string, draft: AccessDraft, text: string) =>
  queryOptions({
    queryKey: ["planned-access", folder, draft, text],
    queryFn: ({ signal }) =>
      ok(
        api.POST("/api/folders/{folder}/effective", {
          signal,
          params: {
            path: { folder },
            query: { limit: pageSize, query: text || undefined },
          },
          body: toBody(draft),
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

export const saveAccess = (folder: string, draft: AccessDraft, revision: number, dryRun: boolean) =>
  dataOf(
    api.PUT("/api/folders/{folder}/access", {
      params: { path: { folder } },
      body: { ...toBody(draft), revision, dryRun: dryRun || undefined },
    }),
  );

export const createFolder = (tenant: string, name: string, parentId: string | null) =>
  dataOf(
    api.POST("/api/tenants/{tenant}/folders", { params: { path: { tenant } }, body: { name, parentId } }),
  );

export const renameFolder = (folder: string, name: string) =>
  dataOf(api.PATCH("/api/folders/{folder}", { params: { path: { folder } }, body: { name } }));

export const deleteFolder = (folder: string) =>
  ok(api.DELETE("/api/folders/{folder}", { params: { path: { folder } } }));

/** Outcome of a move, or of the plan of one. */
export interface MoveResult {
  exposure: Exposure;
  readers?: Schemas["MovedReaders"];
}

export async function moveItem(
  { kind, id }: Subject,
  parentId: string | null,
  dryRun = false,
): Promise<MoveResult> {
  const plan = dryRun ? { dryRun } : {};
  if (kind === "skill")
    return dataOf(
      api.POST("/api/skills/{skill}/move", {
        params: { path: { skill: id } },
        body: { folderId: parentId, ...plan },
      }),
    );
  return dataOf(
    api.PATCH("/api/folders/{folder}", { params: { path: { folder: id } }, body: { parentId, ...plan } }),
  );
}

/** The plan of a move, with the number of readers where the caller may know it. */
export const plannedMoveQuery = (subject: Subject, parentId: string | null) =>
  queryOptions({
    queryKey: ["planned-move", subject.kind, subject.id, parentId],
    staleTime: 10_000,
    queryFn: () => moveItem(subject, parentId, true),
  });
