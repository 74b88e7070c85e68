/** The service as it describes itself to anyone, before a sign-in. */
import { z } from "zod";

export const ServicePayload = z
  .object({
    name: z.string().meta({ description: "as in the sender of its mails" }),
    version: z.string(),
    baseUrl: z.string(),
    setupNeeded: z.boolean().meta({ description: "whether the first account is still to be created" }),
    signUpOpen: z.boolean().meta({ description: "whether an account can be created without an invitation" }),
    mail: z.boolean().meta({ description: "whether mails reach a mail server" }),
    sso: z.boolean().meta({ description: "whether single sign-on is available" }),
  })
  .meta({ id: "Service" });
export type ServicePayload = z.infer<typeof ServicePayload>;
