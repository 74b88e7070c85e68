/** Domains of an organization, as they cross the wire. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";

/** `failing`: verified, but the record was not found lately. */
export const ssoDomainStates = ["pending", "verified", "failing"] as const;

export const SsoDomainPayload = z
  .object({
    id: z.string(),
    domain: z.string().meta({ description: "in ASCII" }),
    displayName: z.string().meta({ description: "the domain in its own script" }),
    state: z.enum(ssoDomainStates),
    record: z
      .object({ type: z.literal("TXT"), name: z.string(), value: z.string() })
      .meta({ description: "the DNS record that verifies the domain; it has to stay" }),
    verifiedAt: timestamp.optional(),
    checkedAt: timestamp.optional().meta({ description: "time of the last look-up of the record" }),
    problem: z.string().optional().meta({ description: "result of the last look-up, if it failed" }),
    lapsesAt: timestamp.optional().meta({
      description: "the verification lapses then unless the record is found again",
    }),
    createdAt: timestamp,
  })
  .meta({ id: "SsoDomain" });
export type SsoDomainPayload = z.infer<typeof SsoDomainPayload>;

export const AutoJoinPayload = z
  .object({
    enabled: z.boolean(),
    role: z.string().meta({ description: "of those who join: a built-in role, or the id of a custom one" }),
    domains: z.array(z.string()).meta({
      description: "verified domains; without one, no one joins automatically",
    }),
  })
  .meta({ id: "AutoJoin" });
export type AutoJoinPayload = z.infer<typeof AutoJoinPayload>;
