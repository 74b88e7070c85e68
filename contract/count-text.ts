/** A number with its noun: `1 download`, `2,000 downloads`. */
export function countText(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}
