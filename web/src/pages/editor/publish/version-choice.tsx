import { useQueries } from "@tanstack/react-query";
import { nextSemverQuery, nextVersions, type NextVersion } from "../../../api/skills/publishing.ts";
import type { Base } from "../working-set.ts";

/** The numbers of the next version, as the service would give them. */
export function useNextVersions(ref: string, base: Base) {
  const found = useQueries({
    queries: nextVersions.map((next) => nextSemverQuery(ref, base.version, next)),
  });
  const numbers = Object.fromEntries(nextVersions.map((next, index) => [next, found[index]?.data]));
  return { numbers: numbers as Record<NextVersion, string | undefined>, error: found[0]?.error ?? null };
}

interface Props {
  numbers: Record<NextVersion, string | undefined>;
  value: NextVersion;
  onChange: (next: NextVersion) => void;
}

export function VersionChoice({ numbers, value, onChange }: Props) {
  return (
    <div className="version-choice" role="radiogroup" aria-label="Next version">
      {nextVersions.map((next) => (
        <label key={next} data-on={next === value}>
          <input
            className="visually-hidden"
            type="radio"
            name="next-version"
            value={next}
            checked={next === value}
            onChange={() => onChange(next)}
          />
          <b>{numbers[next] ?? "…"}</b>
          {next}
        </label>
      ))}
    </div>
  );
}
