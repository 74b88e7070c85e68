import { z } from "zod";
import { limits } from "../../../contract/limits.ts";

export const ClaimDomain = z.strictObject({
  domain: z
    .string()
    .min(1)
    .max(limits.domainName)
    .meta({ description: "domain of e-mail addresses, such as acme.com; subdomains are claimed separately" }),
});

export const DomainParams = z.object({
  tenant: z.string().min(1).max(64).meta({ description: "id or slug" }),
  id: z.string().min(1).max(64),
});
