/** Who gets a version: installs of a skill by what their pins do towards it. */
import { z } from "zod";
import { installScopes, targets } from "../../vocabulary.ts";
import { timestamp } from "../timestamp.ts";

/** Kinds of pins, seen from a version. */
export const pinClasses = ["latest", "channel", "range", "exact", "elsewhere", "outside", "unknown"] as const;
export type PinClass = (typeof pinClasses)[number];

const count = z.number().int();

export const InstalledCounts = z
  .object({
    members: count.meta({ description: "members with one of these installs" }),
    machines: count.meta({ description: "their machines" }),
    projects: count.meta({ description: "machines that have it in projects" }),
    targets: z
      .array(
        z.object({
          target: z.enum(targets).meta({ description: "tool" }),
          machines: count.meta({ description: "machines on which the tool has it" }),
        }),
      )
      .meta({ description: "tools, that of the most machines first" }),
  })
  .meta({ id: "InstalledCounts" });
export type InstalledCounts = z.infer<typeof InstalledCounts>;

const counts = (description: string) => InstalledCounts.meta({ description });

export const SkillReachPayload = z
  .object({
    version: count.optional().meta({ description: "absent for one that is not published yet" }),
    semver: z.string(),
    isLatest: z.boolean().meta({
      description: "installs without a pin resolve to it; in a dry run: would afterwards",
    }),
    isExact: z.boolean().meta({
      description: "false without `analytics:read`: each number is rounded up to a multiple of 5",
    }),
    isComplete: z.boolean().meta({ description: "false beyond 100,000 install locations" }),
    all: counts("all installs"),
    installed: counts("those that have the version now"),
    getting: counts("those whose pins resolve to it"),
    spread: z
      .object({
        machines: count.meta({ description: "machines that get it and have it already" }),
        of: count.meta({ description: "machines that get it" }),
      })
      .meta({ description: "how far it has spread" }),
    pins: z
      .object({
        latest: counts("follow the latest version"),
        channel: counts("follow a channel that points to it"),
        range: counts("have a range that it satisfies"),
        exact: counts("are pinned to it"),
        elsewhere: counts("are pinned to another version or channel"),
        outside: counts("have a range that it does not satisfy"),
        unknown: counts("were reported without a pin"),
      })
      .meta({ description: "all installs by what their pins do" }),
  })
  .meta({ id: "SkillReach" });
export type SkillReachPayload = z.infer<typeof SkillReachPayload>;

/** Field of results that a dry run of a change has. */
export const dryRunReach = SkillReachPayload.optional().meta({
  description: "of a dry run: who has the version and who gets it",
});

export const ReachedInstallPayload = z
  .object({
    id: z.string(),
    user: z.object({ id: z.string(), username: z.string(), name: z.string() }),
    platform: z.enum(targets),
    scope: z.enum(installScopes),
    semver: z.string().meta({ description: "the version that is installed" }),
    pin: z.string().optional().meta({ description: "by which the client updates it" }),
    class: z.enum(pinClasses).meta({ description: "what the pin does towards the version" }),
    updatedAt: timestamp,
  })
  .meta({ id: "ReachedInstall" });
export type ReachedInstallPayload = z.infer<typeof ReachedInstallPayload>;
