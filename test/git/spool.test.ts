/** Buffers of clones that are read slowly: complete, in order, and within limits. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { openSpool, type SpoolOptions } from "../../repos/serve/spool.ts";
import { until } from "../support/until.ts";

const megabyte = 1024 ** 2;
const pieceBytes = 64 * 1024;

describe("a buffer for a slow reader", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-spool-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const open = (limits: Partial<SpoolOptions> = {}) =>
    openSpool({
      folder,
      maxBytes: 8 * megabyte,
      maxBytesEach: 4 * megabyte,
      ...limits,
    });
  /** The source, and how much of it has been read. */
  function sourceOf(bytes: Buffer) {
    const read = { bytes: 0, isOver: false };
    const source = Readable.from(
      (async function* () {
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          const piece = bytes.subarray(at, at + pieceBytes);
          read.bytes += piece.length;
          yield piece;
        }
        read.isOver = true;
      })(),
      { objectMode: false, highWaterMark: pieceBytes },
    );
    return { source, read };
  }

  for (const [what, limits] of [
    ["space for all", {}],
    ["space for a part", { maxBytes: megabyte }],
    ["no space on disk", { maxBytes: 0 }],
  ] as const)
    it(`gives all bytes in order, with ${what}`, async () => {
      const bytes = randomBytes(3 * megabyte + 7);
      const { source } = sourceOf(bytes);
      const stream = open(limits).buffer(source, ["one"], "ahead");

      const taken: Buffer[] = [];
      for await (const piece of stream as AsyncIterable<Buffer>) {
        taken.push(piece);
        // Lets the source go ahead, and catches up with it at times.
        if (taken.length % 16 < 8) for (let n = 0; n < 20; n++) await new Promise(setImmediate);
      }

      assert.deepEqual(Buffer.concat(taken), Buffer.concat([Buffer.from("ahead"), bytes]));
      assert.equal(stream.taken, bytes.length + 5);
    });

  it("reads its source to the end before anything is taken, without a file that has a name", async () => {
    const { source, read } = sourceOf(randomBytes(3 * megabyte));
    const stream = open().buffer(source, ["one"]);

    await until("the end of the source", () => read.isOver);
    assert.deepEqual(readdirSync(folder), []);
    assert.equal(stream.taken, 0);
    assert.equal((await buffer(stream)).length, 3 * megabyte);
  });

  it("stops reading its source at the limits of its owner and of all, until others end", async () => {
    const spool = open({ maxBytes: 3 * megabyte, maxBytesEach: 2 * megabyte });
    const fill = (owners: string[]) => {
      const { source, read } = sourceOf(randomBytes(5 * megabyte));
      return { stream: spool.buffer(source, owners), read };
    };
    const isAt = (read: { bytes: number }, limit: number) =>
      // One buffer's memory, and a few pieces under way.
      until("the limit", () => read.bytes >= limit && read.bytes <= limit + 256 * 1024 + 4 * pieceBytes);

    const one = fill(["a", "net"]);
    await isAt(one.read, 2 * megabyte);
    const sameNetwork = fill(["b", "net"]);
    await isAt(sameNetwork.read, 256 * 1024);
    const other = fill(["c", "elsewhere"]);
    await isAt(other.read, megabyte);
    assert.equal((await buffer(sameNetwork.stream)).length, 5 * megabyte, "its reader has what it takes");

    for (const { stream } of [one, other]) await once(stream.destroy(), "close");
    const next = fill(["a", "elsewhere"]);
    await isAt(next.read, 2 * megabyte);
    next.stream.destroy();
  });

  it("reports the failure of its source, and ends it when it is destroyed", async () => {
    const failing = new Readable({ read: () => undefined });
    const stream = open().buffer(failing, ["one"]);
    failing.destroy(new Error("it broke"));
    await assert.rejects(buffer(stream), /it broke/);

    const silent = new Readable({ read: () => undefined });
    const left = open().buffer(silent, ["one"]);
    left.read();
    await once(left.destroy(), "close");
    assert.ok(silent.destroyed);
  });
});
