const format = new Intl.ListFormat("en", { type: "conjunction" });

/** "a, b, and c". */
export const listText = (items: readonly string[]): string => format.format(items);
