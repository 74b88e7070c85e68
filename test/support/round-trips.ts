/**
 * Round trips to MongoDB of a service that was started with `reportsCommands`: the commands that its driver sends. Work
 * in the background (`app.background`) is recorded separately, since no response waits for it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent } from "mongodb";
import type { App } from "../../src/app.ts";

export interface RoundTrips {
  /** Commands that the response waited for, as `find skills`, in their order. */
  commands: string[];
  /**
   * Number of these commands that were sent while none was under way: the ones that follow each other. Of commands that
   * are sent together, one may wait for a connection or the processor until the others have ended, and then counts too:
   * tests take the fewest of several runs (`fewestSteps`).
   */
  steps: number;
  /** Commands of background work by its name: `note the use of a token: update tokens`. */
  background: string[];
}

export interface RoundTripCounter {
  /** The commands that the service sent while the work was done. Only one measurement may run at a time. */
  during(work: () => Promise<unknown>): Promise<RoundTrips>;
  close(): void;
}

/** A connection URL with which the driver emits command events. */
export function withCommandEvents(url: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}monitorCommands=true`;
}

const backgroundWork = new AsyncLocalStorage<string>();

/** The run with the fewest steps. A command that has to wait for another one does so in every run. */
export async function fewestSteps(runs: number, run: () => Promise<RoundTrips>): Promise<RoundTrips> {
  let fewest = await run();
  for (let n = 1; n < runs; n++) {
    const trips = await run();
    if (trips.steps < fewest.steps) fewest = trips;
  }
  return fewest;
}

/** Counts the commands of a service. Call it once per service. */
export function watchRoundTrips({ app }: { app: App }): RoundTripCounter {
  const { client } = app.storage.database.raw;
  let measured: RoundTrips | undefined;
  const underWay = new Set<number>();
  const record = ({ commandName, command, requestId }: CommandStartedEvent) => {
    const text = `${commandName} ${collectionOf(commandName, command)}`;
    const work = backgroundWork.getStore();
    if (!measured) return;
    if (work !== undefined) {
      measured.background.push(`${work}: ${text}`);
      return;
    }
    measured.commands.push(text);
    if (underWay.size === 0) measured.steps++;
    underWay.add(requestId);
  };
  const end = ({ requestId }: CommandSucceededEvent | CommandFailedEvent) => underWay.delete(requestId);
  client.on("commandStarted", record).on("commandSucceeded", end).on("commandFailed", end);
  const { background } = app;
  app.background = (name, work) => backgroundWork.run(name, () => background(name, work));
  return {
    async during(work) {
      const trips: RoundTrips = { commands: [], steps: 0, background: [] };
      measured = trips;
      try {
        await work();
      } finally {
        measured = undefined;
      }
      return trips;
    },
    close() {
      client.off("commandStarted", record).off("commandSucceeded", end).off("commandFailed", end);
      app.background = background;
    },
  };
}

/** The next batch of a cursor names its collection differently from other commands. */
function collectionOf(commandName: string, command: Readonly<Record<string, unknown>>): string {
  return String(commandName === "getMore" ? command["collection"] : command[commandName]);
}
