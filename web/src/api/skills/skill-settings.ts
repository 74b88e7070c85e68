/** Changes to a skill that create no version, and its installs. */
import { queryOptions } from "@tanstack/react-query";
import type { paths } from "../../../generated/api-types.ts";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { pages, query } from "../query.ts";

export type SkillInstall = Schemas["SkillInstall"];
export type Exposure = Schemas["Exposure"];
/** Who can read a skill before and after a change, and how many members that are. */
export interface Effect {
  exposure: Exposure;
  readers?: Schemas["MovedReaders"];
}
export interface SkillChange {
  name?: string;
  description?: string;
  tags?: string[];
  visibility?: Schemas["Skill"]["visibility"];
  /** Null removes the owner team. */
  ownerTeamId?: string | null;
  /** Null removes the message. */
  deprecated?: string | null;
  requiredMcpServers?: Pick<Schemas["RequiredMcpServer"], "tenantSlug" | "slug">[];
}

export const updateSkill = (ref: string, change: SkillChange, dryRun = false) =>
  dataOf(
    api.PUT("/api/skills/{skill}", {
      params: { path: { skill: ref } },
      body: { ...change, dryRun: dryRun || undefined },
    }),
  );

const effectOf = ({ exposure, readers }: Effect): Effect => ({ exposure, readers });

/** Effect of a visibility on who can read the skill. */
export const exposureQuery = (ref: string, visibility: Schemas["Skill"]["visibility"]) =>
  queryOptions({
    queryKey: ["exposure", { skill: ref, visibility }],
    queryFn: async () => effectOf(await updateSkill(ref, { visibility }, true)),
  });

export const moveSkill = (ref: string, folderId: string | null, dryRun = false) =>
  dataOf(
    api.POST("/api/skills/{skill}/move", {
      params: { path: { skill: ref } },
      body: { folderId, dryRun: dryRun || undefined },
    }),
  );

export const renameSkill = (ref: string, slug: string) =>
  dataOf(api.POST("/api/skills/{skill}/rename", { params: { path: { skill: ref } }, body: { slug } }));

export const movePlanQuery = (ref: string, folderId: string | null) =>
  queryOptions({
    queryKey: ["move-plan", { skill: ref, folderId }],
    queryFn: async () => effectOf(await moveSkill(ref, folderId, true)),
  });

type CopyBody = paths["/api/skills/{skill}/copy"]["post"]["requestBody"]["content"]["application/json"];

export const copySkill = (ref: string, body: CopyBody) =>
  dataOf(api.POST("/api/skills/{skill}/copy", { params: { path: { skill: ref } }, body }));

/** Reminds the members who are behind, or counts them. */
export const remind = (ref: string, dryRun = false) =>
  dataOf(
    api.POST("/api/skills/{skill}/installs/remind", { params: { path: { skill: ref } }, body: { dryRun } }),
  );

export const remindPlanQuery = (ref: string) =>
  queryOptions({ queryKey: ["remind-plan", { skill: ref }], queryFn: () => remind(ref, true), staleTime: 0 });

export const deleteSkill = (ref: string) =>
  ok(api.DELETE("/api/skills/{skill}", { params: { path: { skill: ref } } }));

const pageSize = 100;

export const installsQuery = (ref: string) =>
  pages("/api/skills/{skill}/installs", { skill: ref, limit: pageSize });

export const installSummaryQuery = (ref: string) =>
  query("/api/skills/{skill}/installs/summary", { skill: ref });
