import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import type { AuditEntryPayload, AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import { csvLine } from "../../src/audit/csv.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";
import { until } from "../support/until.ts";

/** A strict RFC 4180 reader: quoted fields with doubled quotes, or plain ones without quotes, commas and line ends. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  while (field.lastIndex < text.length) {
    const match = field.exec(text);
    assert.ok(match, `no CSV at ${field.lastIndex}`);
    record.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === ",") continue;
    records.push(record);
    record = [];
  }
  return records;
}

describe("a line of CSV", () => {
  it("is read back as it was written, except for the apostrophe before a formula", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }), (cells) => {
        const [read, ...more] = parseCsv(csvLine(cells));
        assert.deepEqual(more, []);
        assert.deepEqual(
          read!.map((cell, at) => (cell === `'${cells[at]}` ? cell.slice(1) : cell)),
          cells,
        );
      }),
    );
  });

  it("contains nothing that a spreadsheet would run", () => {
    for (const cell of [
      "=1+1",
      "+1",
      "-1",
      "@SUM(A1)",
      "\t=1",
      "\r=1",
      "\n=1",
      " =1",
      "＝1",
      "＋1",
      "－1",
      "＠1",
      "\0=1",
    ])
      assert.equal(parseCsv(csvLine([cell]))[0]![0], `'${cell}`, JSON.stringify(cell));
    for (const cell of ["a=1", "2026-01-01", "", "'", "a-b", "{}"])
      assert.equal(parseCsv(csvLine([cell]))[0]![0], cell);
  });
});

describe("an exported audit log", () => {
  const rowCount = 3000;
  let service: TestService;
  let owner: TestUser;
  let org: TestOrg;

  before(async () => {
    service = await startService();
    owner = await service.newUser();
    org = await service.newOrg(owner);
    await service.settled();
    await service.app.storage.auditEvents.record(
      Array.from({ length: rowCount }, (_, index): EventRow => ({
        _id: service.app.newId(),
        name: index % 3 === 0 ? "skill.created" : "folder.created",
        tenantId: org.id,
        userId: owner.id,
        actor: { type: "organization", id: "f".repeat(24), name: `=HYPERLINK("x"), "${index}"` },
        resourceType: "skill",
        resourceId: `r${index}`,
        metadata: { slug: `ünïcode, "${index}"\r\n`, nested: { list: [1, null], text: "x".repeat(3000) } },
        createdAt: new Date(Date.now() - index * 1000),
      })),
    );
  });
  after(() => service.close());

  const target = (query: string) => `/api/tenants/${org.slug}/audit-log/export${query}`;
  const fetchText = async (query: string, method = "GET") => {
    const response = await service.raw(method, target(query), { token: owner.token });
    assert.equal(response.status, 200);
    return { text: await response.text(), headers: response.headers };
  };

  it("contains every entry of the pages, as CSV and as JSON", async () => {
    const [csv, json] = [await fetchText("?format=csv"), await fetchText("?format=json")];

    const entries = JSON.parse(json.text) as AuditEntryPayload[];
    const [header, ...records] = parseCsv(csv.text);
    assert.deepEqual(header, [
      "createdAt",
      "action",
      "actorType",
      "actorId",
      "actorName",
      "resourceType",
      "resourceId",
      "ip",
      "metadata",
      "id",
    ]);
    assert.equal(entries.length, records.length);
    assert.ok(entries.length > rowCount);
    for (const [at, entry] of entries.entries()) {
      const { actor } = entry;
      const name = actor.name.startsWith("=") ? `'${actor.name}` : actor.name;
      assert.deepEqual(records[at], [
        entry.createdAt,
        entry.action,
        actor.type,
        actor.id ?? "",
        name,
        entry.resourceType,
        entry.resourceId,
        entry.ip ?? "",
        JSON.stringify(entry.metadata),
        entry.id,
      ]);
    }
    const page = await service.call<AuditLogPayload>("GET", `/api/tenants/${org.slug}/audit-log?limit=200`, {
      token: owner.token,
    });
    assert.deepEqual(entries.slice(0, 200), page.data.entries);
    assert.equal(page.data.total, entries.length);
  });

  it("is sent as a file with a name, and is not cached", async () => {
    const csv = await fetchText("");
    const json = await fetchText("?format=json", "HEAD");

    assert.match(csv.headers.get("content-type")!, /^text\/csv; charset=utf-8/);
    assert.match(json.headers.get("content-type")!, /^application\/json/);
    const name = new RegExp(
      `^attachment; filename="audit-log-${org.slug}-\\d{4}-\\d\\d-\\d\\d\\.(csv|json)"$`,
    );
    for (const { headers } of [csv, json]) {
      assert.match(headers.get("content-disposition")!, name);
      assert.equal(headers.get("cache-control"), "no-store");
    }
    assert.equal(json.text, "");
    assert.equal((await service.call("GET", target("?format=xml"), { token: owner.token })).status, 400);
    assert.equal((await service.call("GET", target("?action=nothing"), { token: owner.token })).status, 400);
  });

  it("applies the filters of the pages, and is well-formed if nothing matches", async () => {
    const some = await fetchText("?format=json&action=skill.*");
    const none = await fetchText("?format=json&actor=nobody");
    const noneCsv = await fetchText("?actor=nobody");

    const entries = JSON.parse(some.text) as AuditEntryPayload[];
    assert.equal(entries.length, rowCount / 3);
    assert.ok(entries.every((entry) => entry.action === "skill.created"));
    assert.deepEqual(JSON.parse(none.text), []);
    assert.equal(parseCsv(noneCsv.text).length, 1);
  });

  it("is available for a user's own log too", async () => {
    const response = await service.raw("GET", "/api/user/audit-log/export?format=json", {
      token: owner.token,
    });

    const entries = (await response.json()) as AuditEntryPayload[];
    assert.match(response.headers.get("content-disposition")!, new RegExp(`audit-log-${owner.username}-`));
    assert.ok(entries.some((entry) => entry.action === "user.token_created"));
  });

  it("ends its query when the reader disconnects", async () => {
    const { raw } = service.app.storage.database;
    const open = async () => {
      const status = await raw.command({ serverStatus: 1 });
      return (status["metrics"] as { cursor: { open: { total: number } } }).cursor.open.total;
    };
    const already = await open();
    const headers = { authorization: `Bearer ${owner.token}`, "accept-encoding": "identity" };
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        const request = http.get(new URL(target("?format=csv"), service.url), { headers });
        const [response] = (await once(request, "response")) as [http.IncomingMessage];
        response.on("error", () => undefined);
        await once(response, "data");
        response.pause();
        assert.ok((await open()) > already, "the rest is still to be read");
        request.destroy();
      }),
    );

    await until("the cursors to close", async () => (await open()) <= already, { details: open });
  });
});
