const dayFormat = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

/** A date (`yyyy-mm-dd`) at the axis of a chart. */
export const formatDay = (date: string): string => dayFormat.format(new Date(date));
