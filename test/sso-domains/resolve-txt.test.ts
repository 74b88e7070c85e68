import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { after, describe, it } from "node:test";
import { openTxtResolver } from "../../src/sso/domains/resolve-txt.ts";

let asked = 0;

/** A name server on this machine that answers by the first label of the name. */
const server = createSocket("udp4", (query, from) => {
  asked++;
  const answer = respond(query);
  if (answer) server.send(answer, from.port, from.address);
});
await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
const { port } = server.address();
const servers = [`127.0.0.1:${port}`];
const resolveTxt = openTxtResolver({ servers, attemptMs: 20_000, totalMs: 60_000 });
/** Gives up early, for names without a usable answer. */
const impatient = openTxtResolver({ servers, attemptMs: 100, totalMs: 1500 });

after(() => server.close());

function respond(query: Buffer): Buffer | undefined {
  const label = query.subarray(13, 13 + query[12]!).toString();
  if (label === "silent") return undefined;
  if (label === "garbage") return Buffer.concat([query.subarray(0, 2), Buffer.alloc(40, 0xff)]);
  const end = query.indexOf(0, 12) + 5;
  const records = label === "found" ? [["first ", "second"], ["other"]] : [];
  const code = { absent: 3, broken: 2, refusing: 5 }[label] ?? 0;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const answers = records.map((parts) => {
    const data = Buffer.concat(
      parts.map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part)])),
    );
    const fixed = Buffer.from("c00c001000010000003c0000", "hex");
    fixed.writeUInt16BE(data.length, 10);
    return Buffer.concat([fixed, data]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...answers]);
}

const failureOf = async (name: string, resolve = resolveTxt) => {
  try {
    await resolve(name);
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return "none";
};

describe("the look-up of TXT records", () => {
  it("returns each record in its parts", async () => {
    assert.deepEqual(await resolveTxt("found.example"), [["first ", "second"], ["other"]]);
  });

  it("reports names and records that do not exist", async () => {
    assert.equal(await failureOf("absent.example"), "ENOTFOUND");
    assert.equal(await failureOf("empty.example"), "ENODATA");
  });

  it("reports name servers that fail or refuse", async () => {
    assert.match((await failureOf("broken.example")) ?? "", /^E(SERVFAIL|TIMEOUT)$/);
    assert.match((await failureOf("refusing.example")) ?? "", /^E(REFUSED|TIMEOUT)$/);
  });

  it("ends after its time when no usable answer comes", async () => {
    for (const name of ["silent.example", "garbage.example"]) {
      asked = 0;
      const begin = performance.now();
      const code = await failureOf(name, impatient);
      assert.match(code ?? "", /^E(TIMEOUT|CANCELLED|BADRESP|SERVFAIL|CONNREFUSED)$/, name);
      assert.ok(performance.now() - begin < 40_000, name);
      assert.ok(asked > 0, name);
    }
  });

  it("leaves nothing behind that another look-up could be cancelled by", async () => {
    const slow = failureOf("silent.example", impatient);
    assert.deepEqual((await resolveTxt("found.example")).length, 2);
    assert.notEqual(await slow, "none");
  });
});
