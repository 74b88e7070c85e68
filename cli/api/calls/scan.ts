/** Calls about the scans of versions. */
import type { ScanPayload } from "../../../contract/payloads/skills/scans.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";

const scan = { state: "text", verdict: "text?", rules: [{ rule: "text", count: "whole" }] } as const;

export function openScanCalls(options: HttpOptions) {
  const { get } = openCaller(options);
  return {
    /** `version`: its number or semver. */
    read: (skill: string, version: string) =>
      get<ScanPayload>(
        `/api/skills/${encodeURIComponent(skill)}/versions/${encodeURIComponent(version)}/scan`,
        scan,
      ),
  };
}
