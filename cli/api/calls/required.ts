/** The collections that the user has to install. */
import type { RequiredCollectionPayload } from "../../../contract/payloads/skills/collections.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";
import type { Shape } from "../shapes.ts";

const collections = [
  {
    tenantSlug: "text",
    slug: "text",
    name: "text",
    skills: [{ id: "text", publicId: "text", slug: "text", tenantSlug: "text", name: "text", type: "text" }],
  },
] as const satisfies Shape;

export const listRequired = (options: HttpOptions) =>
  openCaller(options).get<RequiredCollectionPayload[]>("/api/user/required-collections", collections);
