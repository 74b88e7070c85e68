/** Comparison of versions, findings about them, and changes to them. */
import { queryOptions } from "@tanstack/react-query";
import { ApiError, api, dataOf, ok, type Schemas } from "../client.ts";
import { query } from "../query.ts";

export type Diff = Schemas["Diff"];
export type DiffFile = Diff["files"][number];
export type Finding = Schemas["Finding"];

export const diffQuery = (ref: string, from: string, to: string) =>
  queryOptions({
    ...query("/api/skills/{skill}/diff", { skill: ref, from, to, renames: true }),
    staleTime: Infinity,
  });

/** The difference as a text that `git apply` accepts. */
export async function readPatch(ref: string, from: string, to: string): Promise<Blob> {
  const range = new URLSearchParams({ from, to });
  const response = await fetch(`/api/skills/${ref}/diff?${range}`, { headers: { accept: "text/x-diff" } });
  if (response.ok) return response.blob();
  const body = (await response.json().catch(() => undefined)) as Partial<Schemas["Failure"]> | undefined;
  throw new ApiError(response.status, body, response.headers.get("x-request-id") ?? "");
}

/** Problems that the rules for skills report about a version, for members of the organization. */
export const findingsQuery = (ref: string, version: string) =>
  query("/api/skills/{skill}/findings", { skill: ref, version });

export type Scan = Schemas["Scan"];

/** The scan of a version, which may be repeated by other rules. */
export const scanQuery = (ref: string, version: string) =>
  query("/api/skills/{skill}/versions/{version}/scan", { skill: ref, version });

export const reviewFinding = (ref: string, finding: string, version: string, reviewed: boolean) =>
  dataOf(
    api.PUT("/api/skills/{skill}/findings/{finding}", {
      params: { path: { skill: ref, finding } },
      body: { reviewed, version },
    }),
  );

/** The signed statement about the origin of a version. */
export const originQuery = (ref: string, version: string) =>
  query("/api/skills/{skill}/versions/{version}/attestations", { skill: ref, version });

export const revertSkill = (ref: string, version: string) =>
  dataOf(api.POST("/api/skills/{skill}/revert", { params: { path: { skill: ref } }, body: { version } }));

export const setChannel = (ref: string, channel: string, version: string, dryRun = false) =>
  dataOf(
    api.PUT("/api/skills/{skill}/channels/{channel}", {
      params: { path: { skill: ref, channel } },
      body: { version, dryRun: dryRun || undefined },
    }),
  );

export const deleteChannel = (ref: string, channel: string) =>
  ok(api.DELETE("/api/skills/{skill}/channels/{channel}", { params: { path: { skill: ref, channel } } }));

/** Result of a revert that is not made. */
export const planRevert = (ref: string, version: string) =>
  dataOf(
    api.POST("/api/skills/{skill}/revert", {
      params: { path: { skill: ref } },
      body: { version, dryRun: true },
    }),
  );

export const markVersion = (
  ref: string,
  version: string,
  body: { deprecated?: string | null; yanked?: boolean; reason?: string; force?: true },
) =>
  dataOf(
    api.PATCH("/api/skills/{skill}/versions/{version}", { params: { path: { skill: ref, version } }, body }),
  );
