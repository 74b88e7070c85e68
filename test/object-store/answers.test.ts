/** Responses of a faulty object store, or of a proxy in front of it. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { getFile } from "../../repos/object-store/files.ts";
import { openObjectStore } from "../../repos/object-store/s3.ts";
import type { ObjectStoreOptions } from "../../repos/object-store/types.ts";
import { temporaryFolder } from "../store/fixtures.ts";

const listing = (content: string) => `<?xml version="1.0"?><ListBucketResult>${content}</ListBucketResult>`;
const contents = (key: string) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`;

describe("the client for a faulty object store", async () => {
  const seen: string[] = [];
  let reply: (asked: IncomingMessage, answer: ServerResponse) => void = (_, answer) => void answer.end();
  const server = createServer((asked, answer) => {
    seen.push(`${asked.method} ${asked.url}`);
    asked.resume();
    asked.once("end", () => reply(asked, answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await temporaryFolder();
  const options: ObjectStoreOptions = {
    location: { endpoint, region: "us-east-1", bucket: "bucket", prefix: "svc/", isPathStyle: true },
    credentials: { kind: "keys", accessKeyId: "AKIATEST", secretAccessKey: "secret" },
  };
  const objects = openObjectStore(options);
  after(async () => {
    objects.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const keysOf = async (prefix: string) => {
    const keys: string[] = [];
    for await (const { key } of objects.list(prefix)) keys.push(key);
    return keys;
  };

  it("refuses a list that is cut off, is another document, or does not continue", async () => {
    const more = "<IsTruncated>true</IsTruncated>";
    const token = "<NextContinuationToken>same</NextContinuationToken>";
    const bodies = {
      "no token": listing(more + contents("svc/t/one")),
      "cut off": listing(contents("svc/t/one")).slice(0, -10),
      "another document": "<html><body>Sign in to the network</body></html>",
      nothing: "",
      "the same token": listing(more + token + contents("svc/t/one")),
    };

    for (const [name, body] of Object.entries(bodies)) {
      reply = (_, answer) => void answer.end(body);
      await assert.rejects(keysOf("t/"), { code: "storage_unavailable" }, name);
    }

    reply = (_, answer) => void answer.end("");
    await assert.rejects(objects.hasAny("t/"), { code: "storage_unavailable" });
    reply = (_, answer) =>
      void answer.end(listing(`<IsTruncated>false</IsTruncated>${contents("svc/t/one")}`));
    assert.deepEqual(await keysOf("t/"), ["t/one"]);
  });

  it("refuses an object whose size changes while it is read in parts", async () => {
    const size = 8 * 1024 * 1024 + 5;
    reply = ({ headers }, answer) => {
      if (headers.range === `bytes=0-${8 * 1024 * 1024 - 1}`)
        answer
          .writeHead(206, { "content-range": `bytes 0-${8 * 1024 * 1024 - 1}/${size}` })
          .end(Buffer.alloc(8 * 1024 * 1024));
      else answer.writeHead(416).end("<Error><Code>InvalidRange</Code></Error>");
    };
    const path = join(folder, "changing");

    await assert.rejects(getFile(objects, "uploads/x.zip", path), { code: "storage_unavailable" });
  });

  it("aborts no upload outside its prefix", async () => {
    const upload = (key: string) =>
      `<Upload><Key>${key}</Key><UploadId>u1</UploadId><Initiated>2020-01-01T00:00:00Z</Initiated></Upload>`;
    reply = (asked, answer) =>
      void answer.end(
        asked.method === "GET"
          ? `<ListMultipartUploadsResult>${upload("other/file")}${upload("svc/t/old")}</ListMultipartUploadsResult>`
          : "",
      );
    seen.length = 0;

    assert.equal(await objects.abortUploads(0), 1);

    assert.deepEqual(
      seen.filter((one) => one.startsWith("DELETE")),
      ["DELETE /bucket/svc/t/old?uploadId=u1"],
    );
  });

  it("has no text of the token service in an error", async () => {
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, "platform-token");
    reply = (_, answer) =>
      void answer.writeHead(400).end("<Error><Code>no role for the token platform-token</Code></Error>");
    const role = { tokenFile, roleArn: "arn:aws:iam::1:role/svc", sessionName: "svc", endpoint };
    const opened = openObjectStore({ ...options, credentials: { kind: "web-identity", ...role } });

    await assert.rejects(opened.exists("x"), (error: Error) => {
      assert.match(error.message, /STS refused the role .*status 400/);
      assert.doesNotMatch(error.message, /platform-token/);
      return true;
    });
    opened.close();
  });

  it("follows no redirect", async () => {
    let isReached = false;
    const other = createServer((_, answer) => {
      isReached = true;
      answer.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/bucket/svc/x`;
    for (const status of [301, 302, 307, 308]) {
      reply = (_, answer) => void answer.writeHead(status, { location }).end();
      await assert.rejects(objects.get("x", 10), { code: "storage_unavailable" });
    }
    other.close();

    assert.equal(isReached, false);
  });
});
