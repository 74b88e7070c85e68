import "./guide.css";
import type { ReactNode } from "react";
import { GuideValue } from "./guide-value.tsx";

interface Props {
  /** Steps of a guide (`web/guide-steps.ts`). */
  steps: readonly { text: string; fields: readonly { name: string; value: string }[] }[];
  /** Values of this service, by the names that stand for them in braces. */
  values: Readonly<Record<string, string | undefined>>;
}

/** Steps as items of a list of the class `guide`, with the values to copy. */
export const GuideSteps = ({ steps, values }: Props) =>
  steps.map(({ text, fields }) => (
    <li key={text}>
      <span>{formatted(text)}</span>
      {fields.map(({ name, value }) => (
        <GuideValue
          key={name}
          name={name}
          text={value.replace(/\{([\w.]+)\}/g, (_, key: string) => values[key] ?? "")}
        />
      ))}
    </li>
  ));

/** The Markdown of a step. A marked part contains no other. */
function formatted(text: string): ReactNode[] {
  return text.split(/(\*\*[^*]+\*\*|_[^_]+_|`[^`]+`)/).map((part, at) => {
    if (part.startsWith("**")) return <b key={at}>{part.slice(2, -2)}</b>;
    if (part.startsWith("_")) return <i key={at}>{part.slice(1, -1)}</i>;
    if (part.startsWith("`")) return <code key={at}>{part.slice(1, -1)}</code>;
    return part;
  });
}
