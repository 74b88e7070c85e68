import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { cachedPackage } from "../../src/skills/versions/version-cache.ts";

const mebibyte = 1024 * 1024;

describe("packages in memory", () => {
  it("leave no file open if the read that they share fails", async () => {
    const streams: Readable[] = [];
    const open = async () => {
      const stream = new Readable({
        read: () => setImmediate(() => stream.destroy(new Error("unreadable"))),
      });
      streams.push(stream);
      return { size: 10, stream };
    };

    const results = await Promise.allSettled([1, 2, 3].map(() => cachedPackage("failing", open)));

    assert.deepEqual(
      results.map((result) => result.status),
      ["rejected", "rejected", "rejected"],
    );
    assert.ok(streams.every((stream) => stream.destroyed));
  });

  it("are bounded, including those that slow clients still receive", async () => {
    const size = 8 * mebibyte;
    const open = async () => ({ size, stream: Readable.from([Buffer.alloc(size)]) });
    const received: Buffer[] = [];
    let streamed = 0;

    for (let n = 0; n < 24; n++) {
      for (const use of ["first", "second"]) {
        const { body } = await cachedPackage(`${n}`, open);
        if (Buffer.isBuffer(body)) received.push(body);
        else body.destroy();
        if (use === "second" && !Buffer.isBuffer(body)) streamed++;
      }
    }

    const bytes = received.reduce((sum, body) => sum + body.length, 0);
    assert.ok(received.length > 0 && bytes <= 64 * mebibyte, `${bytes}`);
    assert.equal(received.length + streamed, 24);
  });
});
