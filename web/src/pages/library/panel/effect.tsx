import { EyeOff, Eye, Lock } from "lucide-react";
import { countText } from "../../../../../contract/count-text.ts";
import type { MoveResult } from "../../../api/folders.ts";
import { iconProps } from "../../../parts/icon.ts";

const audiences = {
  public: "everyone on the internet",
  unlisted: "everyone who has the link",
  organization: "the members of the organization",
  restricted: "people with a grant, and those who may manage access",
} as const;

const people = (count: number) => countText(count, "person", "people");

/** How a move changes the number of readers, in few words. */
export function shortEffect({ exposure, readers }: MoveResult): string {
  if (readers && readers.before === readers.after && !exposure.widened)
    return `${people(readers.after)} can read it, as before`;
  if (readers) return `Readers: ${readers.before} before, ${readers.after} after`;
  return exposure.widened ? "More people can read it" : `Readable by ${audiences[exposure.after.visibility]}`;
}

/** The effect of a move or a change of access on who can read. */
export function Effect({ result, isLeaving }: { result: MoveResult; isLeaving: boolean }) {
  const { exposure, readers } = result;
  const isWarning = exposure.widened || isLeaving;
  const Icon = exposure.widened ? Eye : isLeaving ? Lock : EyeOff;
  return (
    <div className={isWarning ? "note warn" : "note"} role="status">
      <Icon className="icon" {...iconProps} />
      <div className="stack">
        <p>
          {exposure.widened ? (
            <b>More people can read it afterwards.</b>
          ) : isLeaving ? (
            <b>It leaves the restriction that applies to it now.</b>
          ) : (
            "No one gains access."
          )}
        </p>
        <p>
          Before: {audiences[exposure.before.visibility]}
          {readers && ` (${people(readers.before)})`}. After: {audiences[exposure.after.visibility]}
          {readers && ` (${people(readers.after)})`}.
        </p>
        {exposure.skills && exposure.skills.public + exposure.skills.unlisted > 0 && (
          <p>
            Skills that become readable outside of the organization: {exposure.skills.public} public,{" "}
            {exposure.skills.unlisted} unlisted.
          </p>
        )}
        {(exposure.mcpServers ?? 0) > 0 && (
          <p>MCP servers that anyone can read in the public registry: {exposure.mcpServers}.</p>
        )}
        {(exposure.versions ?? 0) > 0 && (
          <p>Earlier versions that become readable, too: {exposure.versions}.</p>
        )}
      </div>
    </div>
  );
}
