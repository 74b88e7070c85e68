/** Tokens that installed skills take in the context of agents, as they cross the wire. */
import { z } from "zod";
import { targets } from "../../vocabulary.ts";
import { namedSkill } from "./analytics.ts";

const count = z.number().int();
const tokens = count.meta({ description: "estimated tokens" });

export const TenantContextPayload = z
  .object({
    isComplete: z.boolean().meta({ description: "false if there are more than 50,000 tools on machines" }),
    people: count.meta({ description: "members who have skills installed" }),
    steps: z.array(count).meta({ description: "lower bounds of the ranges of `distribution`, in tokens" }),
    tools: z
      .array(
        z.object({
          platform: z.enum(targets),
          people: count,
          median: tokens,
          largest: tokens,
          distribution: z.array(count).meta({
            description:
              "people by the estimated tokens of all skills in the tool, on the machine that loads the most",
          }),
        }),
      )
      .meta({ description: "those with the most people first" }),
    skills: z
      .array(
        z.object({
          skill: namedSkill,
          idle: tokens,
          setups: count.meta({ description: "tools on machines that have it" }),
          share: z.number().meta({ description: "percentage of all tokens that these tools load" }),
        }),
      )
      .meta({ description: "the 20 with the largest share" }),
  })
  .meta({ id: "OrganizationContext" });
export type TenantContextPayload = z.infer<typeof TenantContextPayload>;
