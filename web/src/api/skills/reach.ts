/** Who gets a version of a skill. */
import { queryOptions } from "@tanstack/react-query";
import { query } from "../query.ts";
import { planRevert } from "./versions.ts";

export const reachQuery = (ref: string, version: string) =>
  query("/api/skills/{skill}/reach", { skill: ref, version });

/** Members that are named below the counts. */
const shownInstalls = 20;

export const reachInstallsQuery = (ref: string, version: string) =>
  query("/api/skills/{skill}/reach/installs", { skill: ref, version, limit: shownInstalls });

/** The reach of a version once it is current again. */
export const revertReachQuery = (ref: string, version: string) =>
  queryOptions({
    queryKey: ["revert-reach", { skill: ref, version }],
    queryFn: async () => (await planRevert(ref, version)).reach ?? null,
    staleTime: 0,
  });
