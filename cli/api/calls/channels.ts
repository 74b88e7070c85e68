/** Calls about the channels of a skill. */
import type {
  ChangedChannelPayload,
  ChannelPayload,
  DeletedChannelPayload,
} from "../../../contract/payloads/skills/channels.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";

const channel = { name: "text", version: "whole?", semver: "text?", held: "flag?", movedAt: "text" } as const;
const changed = { ...channel, version: "whole", semver: "text" } as const;

export function openChannelCalls(options: HttpOptions) {
  const { get, call, json } = openCaller(options);
  const pathOf = (skill: string, name?: string) =>
    `/api/skills/${encodeURIComponent(skill)}/channels${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
  return {
    list: (skill: string) => get<ChannelPayload[]>(pathOf(skill), [channel]),
    set: async (skill: string, name: string, version: string, dryRun?: true) =>
      (
        await call<ChangedChannelPayload>({
          method: "PUT",
          path: pathOf(skill, name),
          shape: changed,
          input: { version, dryRun },
        })
      ).data,
    async remove(skill: string, name: string): Promise<void> {
      await json({ method: "DELETE", url: pathOf(skill, name) });
    },
    planRemove: async (skill: string, name: string) =>
      (
        await call<DeletedChannelPayload>({
          method: "DELETE",
          path: pathOf(skill, name),
          shape: channel,
          query: { dryRun: true },
        })
      ).data,
  };
}
