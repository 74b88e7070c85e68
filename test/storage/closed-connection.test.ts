/** The moment between an engine's closing a connection and the driver's noticing it. */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable, openDatabase } from "../../storage/database.ts";
import { testDatabase } from "../support/engine.ts";

const sockets: Socket[] = [];
const remember = (message: unknown) => sockets.push((message as { socket: Socket }).socket);

describe("a command on a connection that was just closed", async () => {
  subscribe("net.client.socket", remember);
  const { url, name } = await testDatabase();
  // Without the driver's own retry, so that its first result is observed.
  const database = await openDatabase(`${url}&retryReads=false`, name);

  after(async () => {
    unsubscribe("net.client.socket", remember);
    await database.close();
  });

  const outcomeOf = (work: Promise<unknown>) =>
    Promise.race([
      work.then(
        () => "answered",
        (error: unknown) => (isUnavailable(error) ? "unavailable" : String(error)),
      ),
      sleep(60_000, "still waiting", { ref: false }),
    ]);
  const commands: [string, () => Promise<unknown>][] = [
    ["a read", () => database.collection("closed").findOne({})],
    ["a write", () => database.collection("closed").insertOne({ text: "x" })],
    ["a command larger than the buffer of a socket", () => insertLarge()],
  ];
  const insertLarge = () => database.collection("closed").insertOne({ text: "x".repeat(4_000_000) });

  for (const [what, run] of commands)
    it(`fails at once instead of waiting endlessly: ${what}`, async () => {
      await database.ping();

      // As after an engine's end: destroyed, with `close` still to come.
      for (const socket of sockets) socket.destroy();
      const outcome = await outcomeOf(run());

      assert.equal(outcome, "unavailable");
      assert.equal(
        await outcomeOf(database.ping()),
        "answered",
        "and the next command uses a new connection",
      );
    });

  it("fails at once if its connection closes during the write", async () => {
    await database.ping();

    const writing = outcomeOf(insertLarge());
    await Promise.resolve();
    for (let turn = 0; turn < 50 && !sockets.some((socket) => socket.writableNeedDrain); turn++)
      await new Promise(process.nextTick);
    for (const socket of sockets) socket.destroy();

    assert.equal(await writing, "unavailable");
  });
});
