/** Dates and times as text. The only place that formats them, so that all pages write them alike. */

type Options = Intl.DateTimeFormatOptions;
const formatter = (options: Options) => {
  const format = new Intl.DateTimeFormat("en", options);
  return (date: string | Date): string => format.format(new Date(date));
};

/** `Nov 27, 2026, 4:12:09 PM` */
export const exactText = formatter({ dateStyle: "medium", timeStyle: "medium" });
/** `Nov 27, 2026`, for days that the service records in UTC. */
export const dayText = formatter({ dateStyle: "medium", timeZone: "UTC" });
/** `Nov 27`, in UTC. */
export const shortDayText = formatter({ day: "numeric", month: "short", timeZone: "UTC" });
/** `November 27, 2026` */
export const longDayText = formatter({ dateStyle: "long" });
/** `November 2026` */
export const monthText = formatter({ month: "long", year: "numeric" });
/** `4:12 PM` */
export const clockText = formatter({ timeStyle: "short" });
/** `Nov 27, 4:12 PM` */
export const dayAndClockText = formatter({
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dayMs = 86_400_000;

/** A time in words relative to now: `3 days ago`, `in 2 hours`. */
export function relativeTime(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? (["second", 1] as const);
  return unit === "second" ? "just now" : relative.format(Math.round(seconds / size), unit);
}

/** A day in words relative to today, without a time: `today`, `yesterday`, `2 months ago`. */
export function relativeDay(iso: string, now = Date.now()): string {
  const days = Math.floor(Date.parse(iso) / dayMs) - Math.floor(now / dayMs);
  const [unit, size] = units.slice(0, 3).find(([, length]) => Math.abs(days) * 86_400 >= length) ?? [
    "day",
    86_400,
  ];
  return relative.format(Math.round((days * 86_400) / size), unit);
}
