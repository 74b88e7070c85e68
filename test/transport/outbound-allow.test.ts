import assert from "node:assert/strict";
import dns, { type LookupAddress } from "node:dns";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { after, afterEach, describe, it } from "node:test";
import { RepoError } from "../../repos/errors.ts";
import { assertPublicHost, publicLookup } from "../../repos/transport/address.ts";
import { fetchText } from "../../repos/transport/fetch-text.ts";
import { openGuardedFetch } from "../../repos/transport/guarded-fetch.ts";
import { allowOutbound } from "../../repos/transport/outbound-allow.ts";
import { remoteUrl } from "../../repos/transport/remote-url.ts";
import { readConfig } from "../../src/config.ts";

const server = createServer((_, response) => response.end("reached")).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;
const literal = `http://127.0.0.1:${port}/`;
const named = `http://localhost:${port}/`;

const { lookup } = dns;
function restore(): void {
  allowOutbound(undefined);
  dns.lookup = lookup;
  syncBuiltinESMExports();
}
afterEach(restore);
after(() => {
  server.close();
  server.closeAllConnections();
});

/** Name server whose answers to any name are these, one after another. */
function answerWith(...answers: string[][]): void {
  const fake = (_name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) =>
    callback(
      null,
      (answers.shift() ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  dns.lookup = fake as typeof lookup;
  syncBuiltinESMExports();
}

/** Addresses to which a connection to a host goes, or the code of its refusal. */
const connect = (host: string) =>
  new Promise<unknown>((resolve) => {
    publicLookup(host, { all: true }, (error, found) =>
      resolve(
        error instanceof RepoError ? error.code : (found as LookupAddress[]).map(({ address }) => address),
      ),
    );
  });

const limits = { allowPrivateNetwork: false, firstByteMs: 5000, silenceMs: 5000, maxBytes: 1000 };
const document = { allowPrivateNetwork: false, maxBytes: 1000, requestMs: 5000 };
async function outcomesOf(url: string): Promise<string[]> {
  const guarded = openGuardedFetch(limits);
  const codeOf = (error: unknown) => (error instanceof RepoError ? error.code : String(error));
  const outcomes = await Promise.all([
    guarded.fetch(url).then((response) => response.text(), codeOf),
    fetchText(url, document).catch(codeOf),
  ]);
  guarded.close();
  return outcomes;
}

describe("OUTBOUND_ALLOW", () => {
  it("lets requests reach the addresses of a listed network, and no others", async () => {
    assert.deepEqual(await outcomesOf(literal), ["invalid_remote", "invalid_remote"]);
    allowOutbound("127.0.0.0/8");
    assert.deepEqual(await outcomesOf(literal), ["reached", "reached"]);
    assert.equal(
      remoteUrl({ kind: "http", url: `${literal}x.git`, allowPrivateNetwork: false }).port,
      `${port}`,
    );
    for (const url of ["https://10.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/"])
      assert.deepEqual(await outcomesOf(url), ["remote_forbidden", "remote_forbidden"], url);
    allowOutbound("127.0.0.2/32");
    assert.deepEqual(await outcomesOf(literal), ["invalid_remote", "invalid_remote"]);
    assert.throws(() => assertPublicHost("127.0.0.1"), { code: "remote_forbidden" });
  });

  it("lets requests reach a listed host by its name, without encryption too", async () => {
    allowOutbound("git.corp.example,LOCALHOST");
    assert.deepEqual(await outcomesOf(named), ["reached", "reached"]);
    assert.deepEqual(await outcomesOf(literal), ["invalid_remote", "invalid_remote"]);
    allowOutbound("corp.example");
    assert.deepEqual(await outcomesOf(named), ["invalid_remote", "invalid_remote"]);
  });

  it("requires encryption for a name that is not listed and leads into a listed network", async () => {
    allowOutbound("127.0.0.0/8,::1");
    assert.deepEqual(await outcomesOf(named), ["invalid_remote", "invalid_remote"]);
    // The server has no TLS: the connection was made.
    const encrypted = await outcomesOf(named.replace("http:", "https:"));
    assert.deepEqual(encrypted, ["remote_unreachable", "remote_unreachable"]);
  });

  it("applies to every address of a name at the time of the connection", async () => {
    allowOutbound("10.1.0.0/16,git.corp.example");
    answerWith(["10.1.2.3"], ["10.1.2.3", "192.168.0.1"], ["1.1.1.1"], ["192.168.0.1"], ["192.168.0.1"]);
    assert.deepEqual(await connect("wiki.corp.example"), ["10.1.2.3"]);
    assert.equal(await connect("wiki.corp.example"), "remote_forbidden");
    // A name that is public at first, and then leads into a network that is not listed.
    assert.deepEqual(await connect("rebinding.example"), ["1.1.1.1"]);
    assert.equal(await connect("rebinding.example"), "remote_forbidden");
    assert.deepEqual(await connect("git.corp.example"), ["192.168.0.1"]);
  });

  it("never lets a listed name lead to a metadata service, unless its network is listed", async () => {
    const addresses = ["169.254.169.254", "100.100.100.200", "fe80::a9fe:a9fe", "fd00:ec2::254", "0.0.0.0"];
    allowOutbound("git.corp.example");
    for (const address of [...addresses, "::ffff:10.0.0.1"]) {
      answerWith([address]);
      assert.equal(await connect("git.corp.example"), "remote_forbidden", address);
    }
    allowOutbound("git.corp.example,169.254.169.254");
    answerWith(["169.254.169.254"]);
    assert.deepEqual(await connect("git.corp.example"), ["169.254.169.254"]);
  });

  it("is a list of networks and names, and anything else is refused at the start", () => {
    for (const value of ["10.0.0.0/8", "fd12::/16, git.corp.example", "build-1", "192.0.2.1"])
      assert.doesNotThrow(() => readConfig({ OUTBOUND_ALLOW: value }), value);
    for (const value of [
      "10.0.0.0/33",
      "0.0.0.0/0",
      "::/0",
      "https://x.example",
      "*.corp.example",
      "a,,b",
      "x:80",
    ])
      assert.throws(
        () => readConfig({ OUTBOUND_ALLOW: value }),
        /networks and host names, such as 10\.20\.0\.0\/16[^]*at OUTBOUND_ALLOW/,
        value,
      );
  });
});
