/** Routes of a skill's channels. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import {
  ChangedChannelPayload,
  ChannelPayload,
  DeletedChannelPayload,
} from "../../../contract/payloads/skills/channels.ts";
import type { App } from "../../app.ts";
import { flag } from "../../http/request/flag.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { loadSkill, prefetchSkill } from "../load.ts";
import { SkillParams, dryRun } from "../schema.ts";
import { deleteChannel, setChannel } from "./change-channel.ts";
import { presentChannel, presentChannels } from "./channels.ts";

const route = routesOf({ tag: "Skills", auth: "required" });

const ChannelParams = SkillParams.extend({
  channel: z.string().min(1).max(100).meta({ description: "name of the channel" }),
});

const SetChannel = z.strictObject({
  version: z
    .union([z.number().int().min(1), z.string().min(1).max(256)])
    .meta({ description: "number, exact version, range, latest or another channel" }),
  dryRun,
});

export function channelRoutes(app: App): Route[] {
  const path = "/api/skills/:skill/channels";
  return [
    route({
      method: "get",
      path,
      id: "listChannels",
      summary: "List the channels of a skill by name",
      auth: "optional",
      crossOrigin: "anonymous",
      params: SkillParams,
      pageBy: ["name"],
      data: z
        .array(ChannelPayload)
        .max(limits.skillChannels)
        .meta({ description: "all of them, unless `limit` is lower" }),
      prefetch: prefetchSkill(app),
      handle: async ({ actor, params, prefetched }) =>
        presentChannels(await loadSkill(app, actor, params.skill, "skill:read", { prefetched })),
    }),
    route({
      method: "put",
      path: `${path}/:channel`,
      id: "setChannel",
      failures: ["conflict", "limit_reached", "refused"],
      summary: "Make a channel point to a version; a channel that is missing is created",
      signable: true,
      params: ChannelParams,
      body: SetChannel,
      data: ChangedChannelPayload,
      async handle({ actor, params, body }) {
        const { skill, channel, previous, reach } = await setChannel(
          app,
          actor,
          params.skill,
          params.channel,
          String(body.version),
          { dryRun: body.dryRun },
        );
        return {
          ...presentChannel(skill, channel),
          previous: previous ? { version: previous.version, semver: previous.semver } : null,
          reach,
        };
      },
    }),
    route({
      method: "delete",
      path: `${path}/:channel`,
      id: "deleteChannel",
      failures: ["conflict"],
      summary: "Delete a channel; the version that it points to stays",
      signable: true,
      params: ChannelParams,
      query: z.object({
        dryRun: flag.optional().meta({ description: "deletes nothing, and returns the `reach`" }),
      }),
      data: DeletedChannelPayload,
      async handle({ actor, params, query }) {
        const { skill, channel, reach } = await deleteChannel(
          app,
          actor,
          params.skill,
          params.channel,
          query,
        );
        return { ...presentChannel(skill, channel), reach };
      },
    }),
  ];
}
