/** Description of a session's browser: two families, enough to recognize one's own and too little for tracking. */

/** Tried in this order: most browsers also name those that they are made from. */
const browsers: [family: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\/|\bOpera\b/],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\bFirefox\/|\bFxiOS\//],
  ["Chrome", /\bChrome\/|\bCriOS\/|\bChromium\//],
  ["Safari", /\bVersion\/[\d.]+.*\bSafari\//],
];

const systems: [family: string, pattern: RegExp][] = [
  ["iOS", /\biP(?:hone|ad|od)\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac(?:intosh| OS X)\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b|\bX11\b/],
];

/** `Firefox on Linux`; one of the two if the other is unknown, undefined if both are. */
export function clientOf(userAgent: string): string | undefined {
  const familyIn = (list: typeof browsers) => list.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const parts = [familyIn(browsers), familyIn(systems)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(" on ");
}
