/** Plans of a publish or a push. */
import { z } from "zod";
import { skillTypes, visibilities } from "../../vocabulary.ts";
import { dryRunReach } from "./reach.ts";

export const previousContentLocation = z.string().optional().meta({
  description:
    "content location of the current version, if the content comes from another repository or folder",
});

const holdNotice = z.string().optional().meta({
  description: "set if the version would wait for a review: what happens next",
});

export const PublishPlan = z
  .object({
    action: z.enum(["created", "updated"]),
    unchanged: z.boolean().meta({ description: "the content equals that of the current version" }),
    skill: z.object({
      publicId: z.string().optional().meta({ description: "of an existing skill" }),
      slug: z.string(),
      tenantSlug: z.string(),
      name: z.string(),
      type: z.enum(skillTypes),
      visibility: z.enum(visibilities),
    }),
    semver: z.string().meta({ description: "the version that a publish now would create" }),
    ignoredFlags: z.array(z.enum(["folder", "visibility"])),
    previousContentLocation,
    holdNotice,
    reach: dryRunReach,
  })
  .meta({ id: "PublishPlan" });
export type PublishPlan = z.infer<typeof PublishPlan>;

export const VersionPlan = z
  .object({
    semver: z.string().meta({ description: "the version that a push now would create" }),
    unchanged: z.boolean().meta({ description: "the content equals that of the version it would follow" }),
    holdNotice,
    reach: dryRunReach,
  })
  .meta({ id: "VersionPlan" });
export type VersionPlan = z.infer<typeof VersionPlan>;
