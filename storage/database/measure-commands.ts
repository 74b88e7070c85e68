/** Commands to MongoDB as measured operations, by the events of the driver. */
import type { CommandStartedEvent, MongoClient } from "mongodb";
import { noteEnded } from "../../contract/observation.ts";

/** Other commands belong to connections and administration. */
const commands = new Set([
  "aggregate",
  "count",
  "createIndexes",
  "delete",
  "distinct",
  "find",
  "findAndModify",
  "getMore",
  "insert",
  "killCursors",
  "update",
]);

export function measureCommands(client: MongoClient): void {
  const underWay = new Map<number, { collection: string; command: string }>();
  client.on("commandStarted", ({ requestId, commandName, command }) => {
    if (commands.has(commandName))
      underWay.set(requestId, { collection: collectionOf(commandName, command), command: commandName });
  });
  const end = (requestId: number, ms: number, hasFailed: boolean) => {
    const labels = underWay.get(requestId);
    if (!labels) return;
    underWay.delete(requestId);
    noteEnded("database", labels, ms / 1000, hasFailed);
  };
  client.on("commandSucceeded", ({ requestId, duration }) => end(requestId, duration, false));
  client.on("commandFailed", ({ requestId, duration }) => end(requestId, duration, true));
}

/** Collections are those of the service. The next batch of a cursor names its collection differently. */
function collectionOf(name: string, command: CommandStartedEvent["command"]): string {
  return String((name === "getMore" ? command["collection"] : command[name]) ?? "none");
}
