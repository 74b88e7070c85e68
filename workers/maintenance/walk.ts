/**
 * A walk over everything of a kind, in slices. Its cursor is stored, so that a run continues where the last one ended,
 * or where another process was killed. A run visits at most `limit` items: its work does not grow with the
 * installation, and a small one is visited whole by each run.
 */
import type { RepoId } from "../../repos/store/index.ts";
import type { App } from "../../src/app.ts";

/** Failures at a position after which the items of its slice are visited one by one, without those that fail. */
const maxFailures = 3;
/** Rows that a run of the reconcile job visits in one walk, which takes about a second. */
const walkedRows = 20_000;
const rowsPerSlice = 200;
/** Repositories, each of which takes some calls of the file system or of the object store. */
const walkedRepos = 5000;
const reposPerSlice = 500;

export interface Walk<T> {
  name: string;
  /** Maximum number of items in one run, and in one slice. */
  limit: number;
  batch: number;
  /** The items after a position, in the same order each time; the first ones for undefined. */
  list(after: string | undefined, limit: number): Promise<T[]>;
  /** Position of an item. */
  positionOf(item: T): string;
  /** Visits a slice, of which a crash may have visited a part before. */
  visit(slice: T[], progress: Progress): Promise<Visited | void>;
}

export interface Progress {
  /** Start of the last complete pass; undefined during the first one. */
  previousAt: Date | undefined;
  /** Sums over this pass, up to the run, and over the one before. */
  sums: Readonly<Record<string, number>>;
}

interface Visited {
  /** Sums that are kept for the pass. */
  sums?: Record<string, number>;
  /** Number of visited items of the slice, if the run has to end within it. */
  ended?: number;
}

/** A walk over the rows of a collection, in order of their ids. */
export const walkRows = <T extends { _id: string }>(
  app: App,
  name: string,
  list: Walk<T>["list"],
  visit: (rows: T[]) => Promise<void>,
): Promise<void> =>
  walk(app, { name, limit: walkedRows, batch: rowsPerSlice, list, positionOf: ({ _id }) => _id, visit });

/** A walk over repositories; `list` continues behind one of them. */
export const walkRepos = (
  app: App,
  name: string,
  list: (after: RepoId | undefined) => AsyncIterable<RepoId>,
  visit: Walk<RepoId>["visit"],
): Promise<void> =>
  walk(app, {
    name,
    limit: walkedRepos,
    batch: reposPerSlice,
    async list(after, limit) {
      const [tenantId = "", skillId = ""] = after?.split("/") ?? [];
      const found: RepoId[] = [];
      for await (const repo of list(after === undefined ? undefined : { tenantId, skillId }))
        if (found.push(repo) === limit) break;
      return found;
    },
    positionOf: ({ tenantId, skillId }) => `${tenantId}/${skillId}`,
    visit,
  });

/** Throws what a visit has thrown, so that the job is retried, unless the slice has failed repeatedly. */
export async function walk<T>(app: App, of: Walk<T>): Promise<void> {
  const { name, limit, batch } = of;
  const { walks } = app.storage;
  const begun = await walks.begin(name, app.now());
  let { after, previousAt } = begun;
  const sums = addSums(begun.previousSums, begun.sums);
  // A run that begins within a pass also begins the next one.
  let isWhole = after === undefined;
  for (let rest = limit; rest > 0;) {
    const wanted = Math.min(batch, rest);
    const slice = await of.list(after, wanted);
    const visited = slice.length === 0 ? {} : await visitSlice(app, of, after, slice, { previousAt, sums });
    const { sums: added, ended = slice.length } = visited;
    rest -= slice.length;
    if (ended < slice.length) {
      if (ended > 0) await walks.advance(name, after, of.positionOf(slice[ended - 1]!), added);
      return;
    }
    if (slice.length === wanted) {
      const to = of.positionOf(slice.at(-1)!);
      if (!(await walks.advance(name, after, to, added))) return;
      after = to;
      continue;
    }
    if (!(await walks.restart(name, after, app.now(), added)) || isWhole) return;
    [after, previousAt, isWhole] = [undefined, begun.startedAt, true];
  }
}

async function visitSlice<T>(
  app: App,
  of: Walk<T>,
  after: string | undefined,
  slice: T[],
  progress: Progress,
): Promise<Visited> {
  try {
    return (await of.visit(slice, progress)) ?? {};
  } catch (error) {
    if ((await app.storage.walks.fail(of.name, after)) < maxFailures) throw error;
    return visitEach(app, of, slice, progress);
  }
}

async function visitEach<T>(app: App, of: Walk<T>, slice: T[], progress: Progress): Promise<Visited> {
  let sums: Record<string, number> = {};
  for (const [at, item] of slice.entries())
    try {
      const visited = (await of.visit([item], progress)) ?? {};
      sums = addSums(sums, visited.sums);
      if (visited.ended === 0) return { sums, ended: at };
    } catch (error) {
      app.log.error({ error, walk: of.name, item: of.positionOf(item) }, "an item was skipped");
    }
  return { sums };
}

function addSums(...parts: (Record<string, number> | undefined)[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const part of parts)
    for (const [key, value] of Object.entries(part ?? {})) sums[key] = (sums[key] ?? 0) + value;
  return sums;
}
