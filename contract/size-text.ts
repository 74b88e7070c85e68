/** Sizes in messages about limits. A megabyte has 1,048,576 bytes here, as in the limits themselves. */

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** In MB, or below 0.1 MB in KB; rounded up, so that a size over a limit never reads like the limit. */
export function sizeText(bytes: number): string {
  const [unit, name] = bytes >= megabyte / 10 ? [megabyte, "MB"] : [kilobyte, "KB"];
  return `${Math.ceil((bytes / unit) * 100) / 100} ${name}`;
}
