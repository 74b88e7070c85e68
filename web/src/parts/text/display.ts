/** Choices of how pages look, kept in this browser. `public/scheme.js` applies them before the first paint. */
export const densities = ["comfortable", "compact"] as const;
export const motions = ["system", "reduced"] as const;

const defaults = { density: "comfortable", motion: "system" } as const;
type Choice = keyof typeof defaults;

const storageKey = (choice: Choice) => `svc-${choice}`;

export const readDisplay = (choice: Choice): string =>
  localStorage.getItem(storageKey(choice)) ?? defaults[choice];

export function setDisplay(choice: Choice, value: string): void {
  localStorage.setItem(storageKey(choice), value);
  document.documentElement.setAttribute(`data-${choice}`, value);
}
