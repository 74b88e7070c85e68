import { useState } from "react";

const dayMs = 86_400_000;
const days = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A day relative to today; the service does not record the time. */
export function Day({ value }: { value: string }) {
  const [today] = useState(() => Math.floor(Date.now() / dayMs));
  return (
    <time dateTime={value} title={value}>
      {days.format(Math.floor(Date.parse(value) / dayMs) - today, "day")}
    </time>
  );
}
