/** Versions that wait for a review, decisions about them, and the rules by which they wait. */
import { api, dataOf, type Schemas } from "../client.ts";
import { pages, query } from "../query.ts";
import { diffQuery } from "../skills/versions.ts";

export type Waiting = Schemas["WaitingReview"];
export type Review = Schemas["Review"];
export type ReviewRule = Schemas["ReviewRule"];

const rulesPath = "/api/tenants/{tenant}/review-rules";
const reviewPath = "/api/skills/{skill}/versions/{version}/review";

export const waitingQuery = (org: string) => pages("/api/tenants/{tenant}/reviews", { tenant: org });
export const rulesQuery = (org: string) => query(rulesPath, { tenant: org });
export const reviewQuery = (ref: string, version: string) =>
  query("/api/skills/{skill}/versions/{version}/review", { skill: ref, version });

/** The changes of a version; all of its files are added if it follows no other. */
export const reviewDiffQuery = (ref: string, { follows, version }: Review) =>
  diffQuery(ref, follows?.semver ?? "0", version.semver);

const at = (skill: string, version: string) => ({ params: { path: { skill, version } } });

export const decide = (
  ref: string,
  version: string,
  body: { decision: "approve" | "reject" | "override"; comment?: string },
) => dataOf(api.POST(reviewPath, { ...at(ref, version), body }));

export const addComment = (
  ref: string,
  version: string,
  body: { text: string; path?: string; line?: number },
) => dataOf(api.POST(`${reviewPath}/comments`, { ...at(ref, version), body }));

/** `folder`: an id, or `root`. */
export const setRule = (tenant: string, folder: string, body: { approvals: number; teamIds?: string[] }) =>
  dataOf(api.PUT(`${rulesPath}/{folder}`, { params: { path: { tenant, folder } }, body }));

export const removeRule = (tenant: string, folder: string) =>
  dataOf(api.DELETE(`${rulesPath}/{folder}`, { params: { path: { tenant, folder } } }));
