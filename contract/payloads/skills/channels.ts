/** Channels of a skill. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";
import { dryRunReach } from "./reach.ts";

const target = { version: z.number().int(), semver: z.string() };

export const ChannelPayload = z
  .object({
    name: z.string(),
    version: target.version.nullable().meta({
      description: "null while the version that it points to can't be installed",
    }),
    semver: target.semver.nullable(),
    held: z.literal(true).optional().meta({
      description: "set for those who may update or review the skill while the version is held",
    }),
    movedAt: timestamp,
  })
  .meta({ id: "Channel" });
export type ChannelPayload = z.infer<typeof ChannelPayload>;

export const DeletedChannelPayload = ChannelPayload.extend({ reach: dryRunReach }).meta({
  id: "DeletedChannel",
});
export type DeletedChannelPayload = z.infer<typeof DeletedChannelPayload>;

export const ChangedChannelPayload = ChannelPayload.extend({
  previous: z.object(target).nullable().meta({
    description: "the version to which the channel pointed before; null for a new channel",
  }),
  reach: dryRunReach,
}).meta({ id: "ChangedChannel" });
export type ChangedChannelPayload = z.infer<typeof ChangedChannelPayload>;
