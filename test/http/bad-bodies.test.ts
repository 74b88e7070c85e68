import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusalsTo } from "../support/refusals.ts";
import type { CallOptions } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const logged: string[] = [];

const { service, owner, org } = await setUpOrganization({ logged });
await service.settled();

const { refuses, send, auth } = refusalsTo(() => ({ service, user: owner }), logged);
const json = (text: string | Buffer, type = "application/json"): CallOptions => ({
  bytes: Buffer.from(text),
  headers: { "content-type": type },
});
const skill = (fields: object): CallOptions => ({
  body: { tenantId: org.slug, name: "Bad", content: "x\n", ...fields },
});

describe("a body", () => {
  it("must be well-formed JSON with that content type", async () => {
    const good = JSON.stringify({ tenantId: org.slug, name: "Bad", content: "x" });
    for (const text of [
      "{",
      "{]",
      '{"a":}',
      "nonsense",
      good.slice(0, -1),
      `${good}x`,
      "'{}'",
      "\ufeff\ufeff{}",
      '{"a":\u0001}',
    ])
      await refuses("invalid_request", "POST", "/api/skills", json(text), text.slice(0, 20));
    for (const text of ["null", "[]", "1", '"text"', "true", "", "  ", "{}"])
      await refuses("invalid_request", "POST", "/api/skills", json(text), text);
    await refuses("invalid_request", "POST", "/api/skills", json(Buffer.from([0x7b, 0xff, 0x7d])));
    for (const type of [
      "text/plain",
      "application/xml",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "nonsense",
      "",
    ])
      await refuses("unsupported_media_type", "POST", "/api/skills", json(good, type), type);
    await refuses("unsupported_media_type", "POST", "/api/skills", {
      bytes: Buffer.from(good),
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    });
  });

  it("may have a limited number of levels and parts of JSON", async () => {
    const names = Object.fromEntries(Array.from({ length: 50_500 }, (_, n) => [`n${n}`, n]));
    for (const path of ["/api/skills", "/api/auth/sign-in"])
      for (const text of ["[".repeat(500_000), JSON.stringify(names)]) {
        const refused = await service.call("POST", path, { ...json(text), token: owner.token });
        assert.equal(refused.code, "invalid_request");
        assert.match(refused.error ?? "", /more than [\d,]+ (levels|brackets)/);
      }
  });

  it("with thousands of unknown fields gets a short answer", async () => {
    const names = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`name${n}`, n]));
    const refused = await service.call("POST", "/api/skills", { body: names, token: owner.token });

    assert.equal(refused.code, "invalid_request");
    assert.ok(JSON.stringify(refused.body).length < 10_000);
  });

  it("may be 1 MB, with any transfer encoding", async () => {
    const large = JSON.stringify({ tenantId: org.slug, name: "Bad", content: "x".repeat(20_000_000) });
    await refuses("payload_too_large", "POST", "/api/skills", json(large));
    const head = ["POST /api/skills HTTP/1.1", "Host: x", auth(), "Content-Type: application/json"];
    const piece = Buffer.alloc(64 * 1024, 0x20);
    const chunk = Buffer.concat([
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from("\r\n"),
    ]);
    const chunked = await send(
      [...head, "Transfer-Encoding: chunked", "Connection: close"],
      [...Array.from({ length: 320 }, () => chunk), Buffer.from("0\r\n\r\n")],
    );
    assert.match(chunked, /^HTTP\/1\.1 413 [^]*payload_too_large/);
    const text = json(JSON.stringify({ tenantId: org.slug, name: "Bad", content: "x".repeat(600_000) }));
    await refuses("payload_too_large", "POST", "/api/skills", text);
  });

  it("is rejected at any depth of nesting", async () => {
    for (const text of [
      "[".repeat(500_000),
      `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
      `{"name":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`,
    ])
      await refuses("invalid_request", "POST", "/api/skills", json(text), text.slice(0, 10));
  });

  it("is rejected with unknown fields, or values of another type", async () => {
    for (const fields of [
      { extra: 1 },
      { createdBy: "me" },
      { listed: true },
      { _id: "x" },
      { name: 1 },
      { name: null },
      { name: ["a"] },
      { name: { $gt: "" } },
      { tenantId: { $ne: null } },
      { tenantId: ["a"] },
      { tenantId: "" },
      { tenantId: "x".repeat(65) },
      { tags: "a" },
      { tags: [1] },
      { tags: [null] },
      { tags: { 0: "a" } },
      { mode: "replace" },
      { mode: null },
      { type: "tool" },
      { visibility: "PUBLIC" },
      { message: 5 },
      { createFolders: "yes" },
      { personal: 1 },
      { content: 1 },
      { content: undefined },
      { uploadId: "both" },
      { content: undefined, uploadId: 7 },
      { semver: 1 },
    ])
      await refuses("invalid_request", "POST", "/api/skills", skill(fields), JSON.stringify(fields));
    const plain = JSON.stringify({ tenantId: org.slug, name: "Bad", content: "x\n" }).slice(0, -1);
    for (const field of [
      '"__proto__":{"listed":true}',
      '"constructor":{"prototype":{"x":1}}',
      '"toString":1',
    ])
      await refuses("invalid_request", "POST", "/api/skills", json(`${plain},${field}}`), field);
  });

  it("has names, tags and messages within their limits, of valid text", async () => {
    for (const fields of [
      { name: "" },
      { name: "   " },
      { name: "x".repeat(101) },
      { name: "a\0b" },
      { name: "a\nb" },
      { name: "a\u001bb" },
      { name: "\ud800" },
      { name: "x\udc00y" },
      { description: "d".repeat(2049) },
      { description: "\ud83d" },
      { tags: ["a", "b", "c", "d", "e", "f"] },
      { tags: ["x".repeat(51)] },
      { tags: [" "] },
      { tags: ["a\0"] },
      { tags: ["\udfff"] },
      { message: "m".repeat(2001) },
      { message: "a\0" },
      { message: "\ud800" },
      { folder: "x".repeat(1001) },
      { semver: "x".repeat(201) },
    ])
      await refuses(
        "invalid_request",
        "POST",
        "/api/skills",
        skill(fields),
        JSON.stringify(fields).slice(0, 40),
      );
    for (const content of [
      "",
      " \n\t\n",
      "---\nname: a\n---\n",
      "a\0b",
      "\ud800",
      "---js\nx\n---\ny",
      "---\n- x\n---\ny",
      "---\na: &x 1\nb: *x\n---\ny",
      "---\n__proto__: 1\n---\ny",
      "---\nname: open\n",
    ])
      await refuses("content_invalid", "POST", "/api/skills", skill({ content }), JSON.stringify(content));
    for (const fields of [
      { tenantId: "nobody" },
      { tenantId: "\ud800" },
      { tenantId: "a\0b" },
      { content: undefined, uploadId: "\0" },
    ])
      await refuses("not_found", "POST", "/api/skills", skill(fields), JSON.stringify(fields));
  });
});
