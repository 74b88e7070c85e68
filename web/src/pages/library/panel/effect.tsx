import { EyeOff, Eye, Lock } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { listText } from "../../../../../contract/text/list-text.ts";
import type { MoveResult } from "../../../api/folders.ts";
import { iconProps } from "../../../parts/icon.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";

const audiences = {
  public: "everyone on the internet",
  unlisted: "everyone who has the link",
  organization: "the members of the organization",
  restricted: "people with a grant, and those who may manage access",
} as const;

const people = (count: number) => countText(count, "person", "people");

/** Names that are shown before the others are counted. */
const shownNames = 3;

/** "Ada, Ben, and 4 others"; a number where the caller may not list members. */
function namesOf(names: readonly { name: string }[] | undefined, count: number): string {
  if (!names) return people(count);
  const shown = names.slice(0, shownNames).map(({ name }) => visibleText(name));
  const rest = count - shown.length;
  return listText(rest > 0 ? [...shown, countText(rest, "other")] : shown);
}

/** Whether strangers can read it now, and can't afterwards. */
export const endsOutside = ({ exposure: { before, after } }: MoveResult): boolean =>
  ["public", "unlisted"].includes(before.visibility) && !["public", "unlisted"].includes(after.visibility);

/** The people whom a move gives or takes access, in few words. */
export function shortEffect(result: MoveResult): string {
  const { exposure, readers } = result;
  const parts = [
    ...(endsOutside(result) ? [`No longer ${exposure.before.visibility}`] : []),
    ...(readers && readers.gain > 0 ? [`${namesOf(readers.gaining, readers.gain)} can read it then`] : []),
    ...(readers && readers.lose > 0 ? [`${namesOf(readers.losing, readers.lose)} can't any more`] : []),
  ];
  if (parts.length > 0) return parts.join(" · ");
  if (exposure.widened) return "More people can read it";
  return readers
    ? `${people(readers.after)} can read it, as before`
    : `Readable by ${audiences[exposure.after.visibility]}`;
}

/** The effect of a move or a change of access on who can read. */
export function Effect({ result, isLeaving }: { result: MoveResult; isLeaving: boolean }) {
  const { exposure, readers } = result;
  const isWarning = exposure.widened || isLeaving || endsOutside(result);
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
          ) : readers && readers.lose > 0 ? (
            <b>Fewer people can read it afterwards.</b>
          ) : (
            "No one gains access."
          )}
        </p>
        <p>
          Before: {audiences[exposure.before.visibility]}
          {readers && ` (${people(readers.before)})`}. After: {audiences[exposure.after.visibility]}
          {readers && ` (${people(readers.after)})`}.
        </p>
        {endsOutside(result) && (
          <p>
            <b>It is no longer {exposure.before.visibility}:</b> a restricted folder overrides visibility, so
            its page, its installs and its updates end for everyone outside of the folder.
          </p>
        )}
        {readers && readers.gain > 0 && (
          <p>
            <b>Gain access:</b> {namesOf(readers.gaining, readers.gain)}.
          </p>
        )}
        {readers && readers.lose > 0 && (
          <p>
            <b>Lose access:</b> {namesOf(readers.losing, readers.lose)}.
          </p>
        )}
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
