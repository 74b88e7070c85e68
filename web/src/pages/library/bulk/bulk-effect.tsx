import { Skeleton } from "@mantine/core";
import { Eye, EyeOff } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { Skill } from "../../../api/folders.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import type { BulkEffect, Failure } from "./change.ts";

/** Names that are shown of each kind. */
const shown = 5;

function namesOf(skills: readonly Skill[]): string {
  const names = skills.slice(0, shown).map(({ slug }) => visibleText(slug));
  const rest = skills.length - names.length;
  return rest > 0 ? `${names.join(", ")} and ${rest} more` : names.join(", ");
}

/** Skills that more, or fewer, people can read afterwards, and those that can't be changed. */
export function BulkEffectNote({
  effect,
  isPending,
}: {
  effect: BulkEffect | undefined;
  isPending: boolean;
}) {
  if (!effect) return isPending ? <Skeleton height={48} aria-label="Loading the effect" /> : null;
  const { wider, narrower, refused } = effect;
  const Icon = wider.length > 0 ? Eye : EyeOff;
  return (
    <>
      <div className={wider.length > 0 ? "note warn" : "note"} role="status">
        <Icon className="icon" aria-hidden="true" />
        <div className="stack">
          {wider.length > 0 && (
            <p>
              <b>More people can read {countText(wider.length, "skill")}:</b> {namesOf(wider)}.
            </p>
          )}
          {narrower.length > 0 && (
            <p>
              <b>Fewer people can read {countText(narrower.length, "skill")}:</b> {namesOf(narrower)}.
            </p>
          )}
          {wider.length + narrower.length === 0 && <p>The readers stay the same.</p>}
        </div>
      </div>
      <Failures failures={refused} title="Can't be changed" />
    </>
  );
}

/** Skills with the reason why they were, or will be, not changed. */
export function Failures({ failures, title }: { failures: readonly Failure[]; title: string }) {
  if (failures.length === 0) return null;
  return (
    <div className="note danger" role="alert">
      <div className="stack">
        <b>
          {title}: {countText(failures.length, "skill")}
        </b>
        <ul>
          {failures.slice(0, shown).map(({ skill, message }) => (
            <li key={skill.id}>
              <span className="mono">{visibleText(skill.slug)}</span>: {message}
            </li>
          ))}
          {failures.length > shown && <li>and {failures.length - shown} more</li>}
        </ul>
      </div>
    </div>
  );
}
