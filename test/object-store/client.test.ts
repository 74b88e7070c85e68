import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { probeObjectStore } from "../../repos/object-store/probe.ts";
import { openObjectStore } from "../../repos/object-store/s3.ts";
import type { ObjectStoreOptions } from "../../repos/object-store/types.ts";
import { temporaryFolder } from "../store/fixtures.ts";
import { newBucket, objectStoreKeys, whyNoObjectStore } from "../support/object-store.ts";
import { startFaultyFront } from "./faulty-front.ts";

const skip = whyNoObjectStore();
const { accessKeyId, secretAccessKey } = objectStoreKeys;

describe("the client for object stores", { skip }, async () => {
  if (skip !== undefined) return;
  const bucket = await newBucket();
  const front = await startFaultyFront(bucket.location.endpoint);
  const options: ObjectStoreOptions = {
    ...bucket,
    location: { ...bucket.location, endpoint: front.endpoint },
  };
  const objects = openObjectStore(options);
  after(async () => {
    objects.close();
    await front.close();
  });
  afterEach(() => {
    front.decide = () => undefined;
  });
  const names = async (keys: AsyncIterable<string | { key: string }>) => {
    const found: string[] = [];
    for await (const one of keys) found.push(typeof one === "string" ? one : one.key);
    return found;
  };

  it("stores, reads, lists and removes objects", async () => {
    const bytes = randomBytes(200_000);

    await objects.put("a/one", [bytes.subarray(0, 1000), bytes.subarray(1000)]);

    assert.ok((await objects.get("a/one", 200_000))!.bytes.equals(bytes));
    assert.deepEqual(
      (await objects.getRange("a/one", { start: 10, length: 5 }))!.bytes,
      bytes.subarray(10, 15),
    );
    const end = (await objects.getRange("a/one", { length: 7 }))!;
    assert.deepEqual([end.bytes, end.size], [bytes.subarray(-7), 200_000]);
    assert.equal((await objects.getRange("a/one", { start: 199_990, length: 50 }))!.bytes.length, 10);
    assert.equal((await objects.getRange("a/one", { start: 200_000, length: 5 }))!.bytes.length, 0);
    assert.equal(await objects.get("a/none", 10), undefined);
    assert.equal(await objects.getRange("a/none", { length: 10 }), undefined);
    assert.deepEqual([await objects.exists("a/one"), await objects.exists("a/none")], [true, false]);
    assert.deepEqual(await names(objects.list("a/")), ["a/one"]);
    await objects.remove(["a/one", "a/none"]);
    assert.deepEqual(await names(objects.list("a/")), []);
  });

  it("lists more objects and folders than one response has", async () => {
    const keys = Array.from({ length: 1100 }, (_, index) => `many/${String(index).padStart(4, "0")}/x`);
    for (let at = 0; at < keys.length; at += 50)
      await Promise.all(keys.slice(at, at + 50).map((key) => objects.put(key, [])));

    assert.deepEqual(await names(objects.list("many/")), keys);
    assert.deepEqual(
      await names(objects.folders("many/")),
      keys.map((key) => key.slice(5, 9)),
    );
    assert.equal(await objects.hasAny("many/"), true);
    await objects.remove(keys);
    assert.equal(await objects.hasAny("many/"), false);
  });

  it("leaves an object that is there, and does without conditions where the server has none", async () => {
    const written = Array.from({ length: 8 }, (_, index) => Buffer.from(`content ${index}`));
    await Promise.all(written.map((bytes) => objects.putOnce("once", [bytes])));
    const first = (await objects.get("once", 100))!.bytes;

    await objects.putOnce("once", [Buffer.from("later")]);

    assert.deepEqual((await objects.get("once", 100))!.bytes, first);
    const other = openObjectStore(options);
    front.decide = ({ headers }) =>
      headers["if-none-match"] === undefined ? undefined : { status: 501, code: "NotImplemented" };
    await other.putOnce("unconditional", [Buffer.from("x")]);
    front.decide = () => undefined;
    assert.equal(await objects.exists("unconditional"), true);
    other.close();
  });

  it("stores a large object in parts, and leaves no part of one that fails", async () => {
    const size = 40 * 1024 * 1024 + 5;
    const bytes = randomBytes(size);
    const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
    const hash = (data: Buffer) => createHash("sha256").update(data).digest("hex");

    await objects.putLarge("large", size, read);
    assert.equal(hash((await objects.get("large", size))!.bytes), hash(bytes));

    await assert.rejects(
      objects.putLarge("broken", size, async (offset, length) => {
        if (offset > 0) throw new Error("no longer readable");
        return read(offset, length);
      }),
      /no longer readable/,
    );
    assert.equal(await objects.exists("broken"), false);
    assert.equal(await objects.abortUploads(0), 0, "no upload is left");
  });

  it("sends requests again while the server is overloaded", async () => {
    const failures = ["SlowDown", "InternalError", "OperationAborted"];
    front.decide = () => {
      const code = failures.shift();
      return code === undefined ? undefined : { status: code === "OperationAborted" ? 409 : 503, code };
    };

    await objects.put("patient", [Buffer.from("x")]);

    assert.deepEqual(failures, []);
    assert.equal(await objects.exists("patient"), true);
  });

  it("returns no bytes of a response that was cut off", async () => {
    const bytes = randomBytes(500_000);
    await objects.put("cut", [bytes]);
    let cuts = 3;
    front.decide = ({ method }) => (method === "GET" && cuts-- > 0 ? { cutAfter: 100_000 } : undefined);

    assert.ok((await objects.get("cut", bytes.length))!.bytes.equals(bytes));

    assert.ok(cuts <= 0);
    front.decide = () => undefined;
  });

  it("gives up after some time, with an error that has no secret", async () => {
    front.decide = () => ({ status: 503, code: "SlowDown" });

    await assert.rejects(objects.get("patient", 10), (error: Error & { code: string }) => {
      assert.equal(error.code, "storage_unavailable");
      assert.match(error.message, /503 SlowDown/);
      assert.doesNotMatch(JSON.stringify(error) + error.stack, new RegExp(`${secretAccessKey}|Signature`));
      return true;
    });
    front.decide = () => ({ status: 507, code: "QuotaExceeded" });
    await assert.rejects(objects.put("full", [Buffer.from("x")]), { code: "storage_full" });
    front.decide = () => undefined;
  });

  it("reports a missing bucket as an error, not as a missing object", async () => {
    const location = { ...options.location, bucket: "no-such-bucket" };
    const elsewhere = openObjectStore({ ...options, location });

    await assert.rejects(elsewhere.get("x", 10), { code: "storage_unavailable" });
    await assert.rejects(elsewhere.hasAny("x"), { code: "storage_unavailable" });
    elsewhere.close();
  });

  it("reads a file of credentials again once they are refused", async () => {
    const file = join(await temporaryFolder(), "credentials");
    const profile = (id: string) =>
      `[other]\naws_access_key_id = no\n[work]\naws_access_key_id=${id}\naws_secret_access_key = ${secretAccessKey}\n`;
    await writeFile(file, profile("AKIAFORMER"));
    const opened = openObjectStore({
      ...options,
      credentials: { kind: "file", path: file, profile: "work" },
    });
    await assert.rejects(opened.exists("patient"));

    await writeFile(file, profile(accessKeyId));

    assert.equal(await opened.exists("patient"), true);
    await writeFile(file, profile("AKIANEXT"));
    front.decide = ({ headers }) =>
      headers.authorization?.includes("AKIANEXT") ? undefined : { status: 400, code: "ExpiredToken" };
    await assert.rejects(opened.get("patient", 10), /InvalidAccessKeyId/, "the new key is used");
    opened.close();
  });

  it("exchanges a token of the platform for credentials, and renews them before they expire", async () => {
    const tokenFile = join(await temporaryFolder(), "token");
    await writeFile(tokenFile, "platform-token\n");
    const bodies: string[] = [];
    const sts = createServer((asked, answer) => {
      let body = "";
      asked.on("data", (piece: Buffer) => (body += piece.toString()));
      asked.on("end", () => {
        bodies.push(body);
        const expiration = new Date(Date.now() + (bodies.length === 1 ? 400 : 3_600_000)).toISOString();
        answer.end(
          `<R><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}` +
            `</SecretAccessKey><Expiration>${expiration}</Expiration></Credentials></R>`,
        );
      });
    });
    await new Promise<void>((resolve) => sts.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(sts.address() as AddressInfo).port}`;
    const opened = openObjectStore({
      ...options,
      credentials: {
        kind: "web-identity",
        tokenFile,
        roleArn: "arn:aws:iam::1:role/svc",
        sessionName: "svc",
        endpoint,
      },
    });

    await Promise.all([opened.exists("patient"), opened.exists("patient")]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await opened.exists("patient");
    await opened.exists("patient");

    assert.equal(bodies.length, 2);
    assert.match(bodies[0]!, /Action=AssumeRoleWithWebIdentity.*WebIdentityToken=platform-token$/);
    opened.close();
    sts.close();
  });

  describe("the check at the start", () => {
    const probe = (
      changes: Partial<ObjectStoreOptions["location"]>,
      more: Partial<ObjectStoreOptions> = {},
    ) => probeObjectStore({ ...options, ...more, location: { ...options.location, ...changes } });

    it("accepts a bucket that can be used, and leaves nothing in it", async () => {
      await probe({});

      assert.deepEqual(await names(objects.list("probe/")), []);
    });

    it("names the problem and the remedy", async () => {
      const keys = { kind: "keys" as const, accessKeyId, secretAccessKey: "anothersecret" };
      await assert.rejects(
        probe({ bucket: "no-such-bucket" }),
        /^Error: The bucket no-such-bucket does not exist at .*create it/,
      );
      await assert.rejects(
        probe({}, { credentials: keys }),
        /not valid \(SignatureDoesNotMatch\): correct AWS_/,
      );
      front.decide = () => ({ status: 403, code: "AccessDenied" });
      await assert.rejects(probe({}), /don't give access to s3:\/\/.*allow s3:ListBucket/);
      front.decide = () => ({ status: 403, code: "RequestTimeTooSkewed" });
      await assert.rejects(probe({}), /The clock of this machine differs .*\(NTP\)/);
      front.decide = () => ({ status: 400, code: "AuthorizationHeaderMalformed" });
      await assert.rejects(probe({}), /in another region.*set region in GIT_STORE/);
      front.decide = () => undefined;
      const gone = { kind: "file" as const, path: "/nonexistent/credentials", profile: "default" };
      await assert.rejects(probe({}, { credentials: gone }), /AWS_SHARED_CREDENTIALS_FILE\): ENOENT/);
    });
  });
});
