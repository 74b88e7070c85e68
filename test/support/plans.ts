/** The engine's work for a call: each command that was sent, explained. */
import assert from "node:assert/strict";
import { BSON, type CommandStartedEvent, type Document } from "mongodb";
import type { TestService } from "./service.ts";

const { EJSON } = BSON;

/** A command, and how the engine ran it. */
export interface Plan {
  command: Document;
  stages: string[];
  examined: number;
}

const explainable = new Set(["find", "aggregate", "count", "distinct", "update", "delete", "findAndModify"]);

/** Runs calls of a service with `reportsCommands`, and gets the engine's plan for each command that they sent. */
export async function plansOf(service: TestService, run: () => Promise<unknown>): Promise<Plan[]> {
  const { raw } = service.app.storage.database;
  const commands = new Map<string, Document>();
  const note = ({ commandName, command }: CommandStartedEvent) => {
    if (!explainable.has(commandName)) return;
    for (const one of singleOf(command)) commands.set(EJSON.stringify(one), one);
  };
  raw.client.on("commandStarted", note);
  try {
    await run();
    await service.settled();
  } finally {
    raw.client.off("commandStarted", note);
  }
  const plans: Plan[] = [];
  for (const command of commands.values()) {
    // As in the collections (`storage/database.ts`); commands do not inherit the option.
    const explained = await raw.command(
      { explain: command, verbosity: "executionStats" },
      { ignoreUndefined: true },
    );
    const text = JSON.stringify(explained, (key, value: unknown) => (isUsed(key) ? value : undefined));
    const stages = [...text.matchAll(/"stage":"(\w+)"/g)].map((match) => match[1]!);
    const examined = [...text.matchAll(/"totalDocsExamined":(\d+)/g)].map((match) => Number(match[1]));
    plans.push({ command, stages, examined: Math.max(0, ...examined) });
  }
  return plans;
}

/** The output also contains the rejected plans. */
const isUsed = (key: string) => key !== "rejectedPlans" && key !== "allPlansExecution";

/** A command without the fields of its connection; updates and deletes one by one, as only these can be explained. */
function singleOf(command: Document): Document[] {
  const rest = Object.fromEntries(
    Object.entries(command).filter(([name]) => !/^(lsid|\$.*|txnNumber|ordered|bypass.*)$/.test(name)),
  );
  for (const list of ["updates", "deletes"]) {
    const entries = rest[list] as Document[] | undefined;
    if (entries) return entries.map((entry) => ({ ...rest, [list]: [entry] }));
  }
  return [rest];
}

/** Asserts that no command scans a whole collection, and none reads more documents than the limit. */
export function assertIndexed(plans: Plan[], maxExamined: number): void {
  assert.ok(plans.length > 0, "commands were seen");
  for (const { command, stages, examined } of plans) {
    const shown = `${stages.join(" ")} of ${JSON.stringify(command).slice(0, 500)}`;
    assert.ok(!stages.includes("COLLSCAN"), shown);
    assert.ok(examined <= maxExamined, `examines ${examined}: ${shown}`);
  }
}

/** Inserts copies of a document of a collection without pending work, each with its own id and the given fields. */
export async function insertCopies(
  service: TestService,
  collection: string,
  count: number,
  change: (index: number) => Document,
): Promise<void> {
  const rows = service.app.storage.database.raw.collection(collection);
  const template = await rows.findOne({ pendingSince: { $exists: false } });
  assert.ok(template, collection);
  await rows.insertMany(
    Array.from({ length: count }, (_, index) => ({
      ...template,
      ...change(index),
      _id: service.app.newId() as never,
    })),
  );
}
