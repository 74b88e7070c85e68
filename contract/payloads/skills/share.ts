/** Anonymous sharing as it crosses the wire. */
import { z } from "zod";
import { SkillPayload } from "./skills.ts";

const identity = {
  username: z.string(),
  tenantSlug: z.string().meta({ description: "what stands before the slash in references to its skills" }),
  anonymous: z.literal(true),
};

export const AnonymousIdentityPayload = z
  .object({ id: z.string().meta({ description: "what X-Svc-Key names" }), ...identity })
  .meta({ id: "AnonymousIdentity" });
export type AnonymousIdentityPayload = z.infer<typeof AnonymousIdentityPayload>;

export const RegisteredPayload = z
  .object({ identity: AnonymousIdentityPayload })
  .meta({ id: "RegisteredIdentity" });
export type RegisteredPayload = z.infer<typeof RegisteredPayload>;

export const SharedPayload = z
  .object({
    skill: SkillPayload,
    url: z.string(),
    installCommand: z.string(),
    identity: z.object(identity),
    unchanged: z
      .boolean()
      .meta({ description: "true when this identity shares the same under this name already" }),
    warnings: z.array(z.string()),
  })
  .meta({ id: "Shared" });
export type SharedPayload = z.infer<typeof SharedPayload>;
