import { limits } from "../../../../../contract/limits.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import type { ReadText } from "./read-frontmatter.ts";

/** Fields that are listed, and characters of each. */
const listed = { fields: 30, characters: 2000 };
const advised = limits.skillDescriptionAdvised;

/** The frontmatter as a list. Agents match the description, which is therefore named by its effect. */
export function Frontmatter({ parts: { fields, problem } }: { parts: ReadText }) {
  if (problem !== undefined) {
    return (
      <p className="frontmatter sub" role="note">
        The frontmatter can&apos;t be read. {visibleText(problem)}
      </p>
    );
  }
  if (fields.length === 0) return null;
  return (
    <dl className="frontmatter">
      {fields.slice(0, listed.fields).map(([name, value]) => (
        <Field key={name} name={name} value={value} />
      ))}
      {fields.length > listed.fields && (
        <>
          <dt>more fields</dt>
          <dd>{fields.length - listed.fields}, in the source</dd>
        </>
      )}
    </dl>
  );
}

function Field({ name, value }: { name: string; value: string }) {
  const isDescription = name === "description";
  const shown = visibleText(value.slice(0, listed.characters));
  return (
    <>
      <dt className="clip">{isDescription ? "triggers on" : visibleText(name)}</dt>
      <dd className={name === "name" ? "mono" : undefined}>
        {shown}
        {value.length > listed.characters && "…"}
        {isDescription && (
          <span className="dim">
            {" "}
            · {value.length.toLocaleString("en")} of {advised.toLocaleString("en")} characters
          </span>
        )}
      </dd>
    </>
  );
}
