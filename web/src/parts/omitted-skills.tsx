import type { Schemas } from "../api/client.ts";

const reasons = {
  name: "its name is not accepted by the standard",
  description: "it has no description",
  size: "it is too large",
} as const;

/** Public skills that no index can have, with the reasons; nothing if there are none. */
export function OmittedSkills({ omitted }: Pick<Schemas["SkillIndex"], "omitted">) {
  if (omitted.length === 0) return null;
  return (
    <details className="meta">
      <summary>Skills that need svc</summary>
      <ul className="plain-list stack">
        {omitted.map(({ slug, reason }) => (
          <li key={slug}>
            <span className="mono wrap-text">{slug}</span>: {reasons[reason]}
          </li>
        ))}
      </ul>
    </details>
  );
}
