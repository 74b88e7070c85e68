import { scimOutcomes, scimUserStates } from "../../../../contract/vocabulary.ts";
import type { ScimLogFilter, ScimUserFilter } from "../../api/organization/scim.ts";

export const views = ["setup", "users", "groups", "log"] as const;

/** The view and its filters, as the address of the page has them. */
export interface ScimSearch {
  view?: (typeof views)[number];
  query?: string;
  state?: ScimUserFilter["state"];
  outcome?: ScimLogFilter["outcome"];
}

export const readScimSearch = (raw: Record<string, unknown>): ScimSearch => ({
  view: views.find((view) => view === raw["view"]),
  query: typeof raw["query"] === "string" && raw["query"] !== "" ? raw["query"] : undefined,
  state: scimUserStates.find((state) => state === raw["state"]),
  outcome: scimOutcomes.find((outcome) => outcome === raw["outcome"]),
});
