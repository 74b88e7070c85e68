import { dayText, exactText, relativeDay, relativeTime } from "./dates.ts";

interface Props {
  value: string;
  className?: string;
  /** Only the day is known, in UTC. */
  isDay?: boolean;
}

/** A relative time, whose exact form appears on hover and for assistive technology. */
export function Time({ value, className, isDay = false }: Props) {
  const [text, exact] = isDay
    ? [relativeDay(value), dayText(value)]
    : [relativeTime(value), exactText(value)];
  return (
    <time dateTime={value} title={exact} aria-label={`${text}, ${exact}`} className={className}>
      {text}
    </time>
  );
}

/** A time of which the exact form matters as much: both are shown. */
export const ExactTime = ({ value }: { value: string }) => (
  <time dateTime={value}>
    {exactText(value)} <span className="meta">{relativeTime(value)}</span>
  </time>
);
