import "./segments.css";
import { useId } from "react";

interface Props<T extends string> {
  /** The accessible name of the group. */
  label: string;
  data: readonly (T | { value: T; label: string })[];
  value: T;
  onChange: (value: T) => void;
}

/** A choice between a few values that are all shown, as a group of radio buttons. */
export function Segments<T extends string>({ label, data, value, onChange }: Props<T>) {
  const name = useId();
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {data.map((entry) => {
        const option = typeof entry === "string" ? { value: entry, label: entry } : entry;
        return (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        );
      })}
    </div>
  );
}
