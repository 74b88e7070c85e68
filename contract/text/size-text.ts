/** Sizes in messages and on pages. A megabyte has 1,048,576 bytes here, as in the limits themselves. */

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** For limits: in MB, or below 0.1 MB in KB; rounded up, so that a size over a limit never reads like the limit. */
export function sizeText(bytes: number): string {
  const [unit, name] = bytes >= megabyte / 10 ? [megabyte, "MB"] : [kilobyte, "KB"];
  return `${Math.ceil((bytes / unit) * 100) / 100} ${name}`;
}

const units = ["bytes", "KB", "MB", "GB"];

/** The size of a file or of memory: `58 bytes`, `3.9 KB`, `120 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  // Not 1,024 KB, which 1,023.6 would be rounded to.
  while (value >= 1023.5 && unit < units.length - 1) [value, unit] = [value / kilobyte, unit + 1];
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
