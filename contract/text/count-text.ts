const numbers = new Intl.NumberFormat("en");

/** A number with separators: `2,000`. */
export const numberText = (count: number): string => numbers.format(count);

/** A number with its noun: `1 download`, `2,000 downloads`. */
export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${numberText(count)} ${count === 1 ? noun : plural}`;
