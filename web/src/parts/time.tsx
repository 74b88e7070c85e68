const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** A time in words relative to now: `3 days ago`, `in 2 hours`. */
export function relativeTime(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? (["second", 1] as const);
  return unit === "second" ? "just now" : relative.format(Math.round(seconds / size), unit);
}

/** A relative time whose exact form appears on hover and for assistive technology. */
export function Time({ value, className }: { value: string; className?: string }) {
  return (
    <time dateTime={value} title={exact.format(new Date(value))} className={className}>
      {relativeTime(value)}
    </time>
  );
}
