/** Installed versions over time, as they cross the wire. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";

const count = z.number().int();

export const SkillAdoptionPayload = z
  .object({
    versions: z
      .array(z.object({ version: count, semver: z.string() }))
      .meta({ description: "the versions that were installed most, at most 5, highest first" }),
    daily: z
      .array(
        z.object({
          date: z.iso.date(),
          installs: count.meta({ description: "install locations of members" }),
          newest: z.string().nullable().meta({ description: "highest release by the end of the day" }),
          onNewest: count.meta({
            description: "install locations with the newest release or a higher version",
          }),
          versions: z
            .array(count)
            .meta({ description: "install locations with each of `versions`, in their order" }),
        }),
      )
      .meta({ description: "from the first day that was counted on; the last one is today so far" }),
    releases: z
      .array(
        z.object({
          version: count,
          semver: z.string(),
          releasedAt: timestamp,
          daily: z.array(
            z.object({
              date: z.iso.date(),
              installs: count,
              adopted: count.meta({ description: "install locations with the release or a higher version" }),
            }),
          ),
        }),
      )
      .meta({ description: "the latest releases of the period, at most 6, newest first" }),
  })
  .meta({ id: "SkillAdoption" });
export type SkillAdoptionPayload = z.infer<typeof SkillAdoptionPayload>;
