/** Who gets a version of a skill. */
import { queryOptions } from "@tanstack/react-query";
import type { Schemas } from "../client.ts";
import { query } from "../query.ts";
import { planRevert, setChannel } from "./versions.ts";

export const reachQuery = (ref: string, version: string) =>
  query("/api/skills/{skill}/reach", { skill: ref, version });

/** Members that are named below the counts. */
const shownInstalls = 20;

export const reachInstallsQuery = (ref: string, version: string) =>
  query("/api/skills/{skill}/reach/installs", { skill: ref, version, limit: shownInstalls });

/** The reach of a version after a change, by the dry run of that. */
const plannedReachQuery = (
  change: string,
  subject: { skill: string; version: string; channel?: string },
  plan: () => Promise<{ reach?: Schemas["SkillReach"] }>,
) =>
  queryOptions({
    queryKey: [change, subject],
    queryFn: async () => (await plan()).reach ?? null,
    staleTime: 0,
  });

export type PlannedReach = ReturnType<typeof plannedReachQuery>;

/** Stands for no plan. */
export const unplanned: PlannedReach = plannedReachQuery("no-reach", { skill: "", version: "" }, () =>
  Promise.resolve({}),
);

/** The reach of a version once it is current again. */
export const revertReachQuery = (ref: string, version: string): PlannedReach =>
  plannedReachQuery("revert-reach", { skill: ref, version }, () => planRevert(ref, version));

/** The reach of a version once a channel points to it. */
export const channelReachQuery = (ref: string, channel: string, version: string): PlannedReach =>
  plannedReachQuery("channel-reach", { skill: ref, version, channel }, () =>
    setChannel(ref, channel, version, true),
  );
