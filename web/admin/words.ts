/** Figures and times as people read them. */

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const numbers = new Intl.NumberFormat("en");

export const count = (value: number): string => numbers.format(value);

export function ago(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ["day", 86_400],
    ["hour", 3600],
    ["minute", 60],
  ];
  for (const [unit, length] of steps)
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  return relative.format(Math.trunc(seconds), "second");
}

export function duration(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function bytes(value: number | null): string {
  if (value === null) return "unknown";
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3));
  return `${(value / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}

export function clock(iso: string, withDay: boolean): string {
  const options: Intl.DateTimeFormatOptions = withDay
    ? { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }
    : { hour: "2-digit", minute: "2-digit" };
  return new Intl.DateTimeFormat("en-GB", options).format(new Date(iso));
}

/** An id and its fields on one line: `skillId 65a1… tenantId 5f00…`. */
export function payloadText(payload: Record<string, unknown>): string {
  const fields = Object.entries(payload).map(([name, value]) => `${name} ${String(value)}`);
  return fields.length > 0 ? fields.join(", ") : "nothing";
}
