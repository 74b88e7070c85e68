/** Calls about versions that wait for a review. */
import type { ReviewPayload, WaitingReviewPayload } from "../../../contract/payloads/skills/reviews.ts";
import { type Query, openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";

const waiting = {
  skill: { publicId: "id", slug: "slug", tenantSlug: "slug", name: "text" },
  version: { version: "whole", semver: "text", message: "text", createdAt: "text", state: "text" },
  approvals: "whole",
  needed: "whole",
  mayDecide: "flag",
  refusal: "text?",
} as const;
const review = {
  ...waiting,
  readers: "whole",
  entries: [
    { kind: "text", by: { username: "text" }, text: "text?", path: "text?", line: "whole?", at: "text" },
  ],
} as const;

export function openReviewCalls(options: HttpOptions) {
  const { get, page, create } = openCaller(options);
  const pathOf = (skill: string, version: string) =>
    `/api/skills/${encodeURIComponent(skill)}/versions/${encodeURIComponent(version)}/review`;
  return {
    list: (organization: string, query: Query) =>
      page<WaitingReviewPayload>(
        `/api/tenants/${encodeURIComponent(organization)}/reviews`,
        [waiting],
        query,
      ),
    read: (skill: string, version: string) => get<ReviewPayload>(pathOf(skill, version), review),
    decide: (
      skill: string,
      version: string,
      input: { decision: "approve" | "reject" | "override"; comment?: string },
    ) => create<ReviewPayload>(pathOf(skill, version), review, input),
  };
}
