/** Calls about who gets a version. */
import type { SkillReachPayload } from "../../../contract/payloads/skills/reach.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";

const reach = { isExact: "flag", spread: { machines: "whole", of: "whole" } } as const;

export function openReachCalls(options: HttpOptions) {
  const { get } = openCaller(options);
  return {
    /** Checks only what `svc info` shows: `readReach` checks the rest. */
    read: (skill: string, version: string) =>
      get<SkillReachPayload>(`/api/skills/${encodeURIComponent(skill)}/reach`, reach, {
        version,
      }),
  };
}
