/** Tokens of organizations, as they cross the wire; personal ones are in `payloads.ts`. */
import { z } from "zod";
import { CreatedTokenPayload, TokenPayload } from "./payloads.ts";

const more = {
  allowedFolders: z
    .array(
      z.object({
        id: z.string(),
        path: z.string().nullable().meta({
          description: "a long one without its beginning; null when it is gone or out of your sight",
        }),
      }),
    )
    .optional(),
  createdBy: z.string().nullable().meta({ description: "user name; null when that account is gone" }),
};

export const OrganizationTokenPayload = TokenPayload.extend(more).meta({ id: "OrganizationToken" });
export type OrganizationTokenPayload = z.infer<typeof OrganizationTokenPayload>;

export const CreatedOrganizationTokenPayload = CreatedTokenPayload.extend(more).meta({
  id: "CreatedOrganizationToken",
});
export type CreatedOrganizationTokenPayload = z.infer<typeof CreatedOrganizationTokenPayload>;
