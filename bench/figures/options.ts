/**
 * Options of the scenarios, and the sizes of all of them: the usual ones, for which the targets are, and the smallest
 * ones, with which CI runs each scenario so that none stops working.
 */
import { parseArgs } from "node:util";

/** Usual and smallest value by option: numbers of things unless a unit is named. */
const sizes = {
  access: {
    skills: [100_000, 2000],
    turns: [200, 22],
    changes: [20, 1],
    blocks: [5, 1],
    seconds: [2, 1],
    idleMs: [2000, 0],
  },
  "before-after": {
    warmUp: [1, 0],
    blocks: [15, 1],
    requests: [1000, 20],
    clones: [40, 1],
    publishes: [20, 1],
  },
  cli: {
    turns: [20, 1],
    published: [402, 4],
    installed: [32, 2],
    restored: [50, 2],
  },
  costly: { seconds: [20, 1], rate: [20, 6], warmUpMs: [3000, 100] },
  git: {
    versions: [1000, 40],
    turns: [6, 2],
    rounds: [10, 2],
    largeFileBytes: [200_000, 10_000],
    kills: [60, 2],
    synced: [5000, 150],
    pushes: [20, 3],
    scans: [45, 1],
    fetches: [5, 1],
    clones: [12, 1],
  },
  http: {
    skills: [20_000, 500],
    searches: [300, 5],
    publishes: [60, 2],
    blocks: [5, 1],
    packageMb: [99, 2],
  },
  identity: { turns: [200, 3], warmUp: [20, 1] },
  "installed-reach": {
    installs: [20_000, 40],
    turns: [300, 4],
    warmUp: [100, 1],
  },
  mcp: { skills: [200, 3], calls: [300, 2], warmUp: [50, 1] },
  connectors: {
    calls: [300, 2],
    users: [10, 2],
    warmUp: [160, 1],
    rounds: [7, 1],
    idleMs: [2000, 0],
  },
  "object-store": { publishes: [200, 3], reads: [400, 4] },
  peers: { rounds: [5, 1] },
  publish: {
    blocks: [3, 1],
    count: [300, 3],
    warmUp: [200, 2],
    idleMs: [3000, 50],
    backgroundMs: [4000, 50],
  },
  marketplaces: { skills: [500, 3], turns: [10, 1] },
  reach: { skills: [100, 3], turns: [300, 4], warmUp: [100, 1] },
  scim: {
    users: [10_000, 5],
    concurrency: [2, 2],
    turns: [100, 2],
    idleMs: [10_000, 200],
  },
  scale: { skills: [20_000, 200], many: [200_000, 400], turns: [60, 1] },
  scan: { turns: [60, 1], textBytes: [1_000_000, 20_000] },
  search: {
    skills: [20_000, 100],
    many: [200_000, 200],
    searches: [400, 8],
    queries: [1000, 20],
    list: [0, 0],
  },
  sso: { turns: [400, 4], warmUp: [20, 2] },
  streams: { streams: [19_000, 20], seconds: [30, 1], idleMs: [30_000, 100] },
  sync: { publishes: [20, 1], cold: [3, 1], idleMs: [500, 0] },
  /** `percent`: of the folders, skills and members that the scenarios describe. */
  web: {
    rounds: [5, 1],
    idleMs: [1500, 50],
    keys: [40, 2],
    frames: [240, 10],
    navigations: [50, 5],
    percent: [100, 1],
  },
  workspaces: { members: [1000, 4], warmUp: [300, 5], idleMs: [5000, 100] },
} as const satisfies Record<string, Record<string, readonly [usual: number, smallest: number]>>;

type Scenario = keyof typeof sizes;
export type Sizes<S extends Scenario> = {
  [name in keyof (typeof sizes)[S]]: number;
};

/** The smallest sizes: no figure is judged. */
export const isSmallest = process.argv.includes("--smallest");

/**
 * The options of a scenario on the command line: its sizes, and texts, whose defaults are given. Throws for an option
 * that the scenario doesn't have.
 */
export function readOptions<S extends Scenario, T extends Record<string, string>>(
  scenario: S,
  texts: T,
): Sizes<S> & { [name in keyof T]: string } {
  const own: Record<string, readonly [number, number]> = sizes[scenario];
  const names = [...Object.keys(own), ...Object.keys(texts)];
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
      smallest: { type: "boolean" },
    },
  });
  const given: Record<string, string | boolean | undefined> = values;
  const numbers = Object.entries(own).map(([name, [usual, smallest]]) => {
    const value = Number(given[name] ?? (isSmallest ? smallest : usual));
    if (Number.isNaN(value)) throw new Error(`--${name} takes a number, not ${String(given[name])}.`);
    return [name, value];
  });
  return { ...texts, ...given, ...Object.fromEntries(numbers) } as Sizes<S> & {
    [name in keyof T]: string;
  };
}
