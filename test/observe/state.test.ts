/** The state of the whole service on the page of metrics. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, it } from "node:test";
import { createServer } from "node:tls";
import { promisify } from "node:util";
import { noteCount, measured, observeWith } from "../../contract/observation.ts";
import { nextExpiries } from "../../src/jobs/expiries.ts";
import { countRelayed, openRelay } from "../../src/metrics/relay.ts";
import { stateReader, type Reading } from "../../src/metrics/state.ts";
import { backUpTo } from "../../src/operations/backup/commands.ts";
import { connectionDoc } from "../support/connection.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { temporaryFolder } from "../support/server.ts";
import { closedAfter, setUpService } from "../support/set-up.ts";

const stoppedAt = new Date("2026-03-01T12:00:00Z");
const { service } = await setUpService({ stoppedAt, reportsCommands: true, ownQueue: true });
const { app } = service;
const { raw } = app.storage.database;

const read = () => stateReader(app, { version: "1.0.0" }, "api")();

async function valueOf(
  gauge: Reading["gauge"],
  labels: Record<string, string> = {},
): Promise<number | undefined> {
  const found = (await read()).filter(
    (one) =>
      one.gauge === gauge && Object.entries(labels).every(([name, value]) => one.labels?.[name] === value),
  );
  assert.ok(found.length <= 1, JSON.stringify(found));
  return found[0]?.value;
}

const minutesAgo = (minutes: number) => new Date(stoppedAt.getTime() - minutes * 60_000);

describe("the state of the service", () => {
  it("has the age of the oldest request for a sync, by the status of its connection", async () => {
    await raw.collection("connections").insertMany([
      connectionDoc(1, { wantedSince: minutesAgo(10), dueAt: minutesAgo(9) }),
      connectionDoc(2, { wantedSince: minutesAgo(90), dueAt: minutesAgo(1) }),
      connectionDoc(3, {
        status: "failing",
        problem: { code: "auth_failed", message: "", at: stoppedAt },
        wantedSince: minutesAgo(500),
        dueAt: stoppedAt,
      }),
      connectionDoc(4),
    ] as never[]);

    assert.equal(await valueOf("lag", { status: "active" }), 90 * 60);
    assert.equal(await valueOf("lag", { status: "failing" }), 500 * 60);
    assert.equal(await valueOf("lag", { status: "blocked" }), 0);
    assert.equal(await valueOf("connections", { status: "active" }), 3);
    assert.equal(await valueOf("problems", { code: "auth_failed" }), 1);
  });

  it("has the next expiry of enabled identity providers, whose last certificate counts", async () => {
    const provider = (n: number, enabled: boolean, ...notAfter: string[]) => ({
      _id: `p${n}`,
      tenantId: `t${n}`,
      name: `p${n}`,
      nameKey: `p${n}`,
      active: true,
      enabled,
      saml: { certificates: notAfter.map((at) => ({ notAfter: new Date(at) })) },
    });
    await raw
      .collection("sso_providers")
      .insertMany([
        provider(1, true, "2026-03-02", "2026-05-01"),
        provider(2, true, "2026-04-01"),
        provider(3, false, "2026-03-02"),
      ] as never[]);

    assert.equal(
      await valueOf("expiry", { kind: "identity_provider_certificate" }),
      Date.parse("2026-04-01") / 1000,
    );
    assert.equal(await valueOf("expiry", { kind: "encryption_key" }), undefined);
  });

  it("has the expiry of the certificate of its own address", async () => {
    const folder = temporaryFolder("certificate");
    const files = { key: path.join(folder, "key.pem"), cert: path.join(folder, "cert.pem") };
    const options = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9"];
    const out = ["-subj", "/CN=localhost", "-keyout", files.key, "-out", files.cert];
    await promisify(execFile)("openssl", ["req", ...options, ...out]);
    const cert = readFileSync(files.cert);
    const server = createServer({ key: readFileSync(files.key), cert });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await closedAfter({ close: () => server.close() });
    const servedBy = (baseUrl: string) =>
      nextExpiries({ ...app, config: { ...app.config, baseUrl } }).then(({ served }) => served);

    const { port } = server.address() as AddressInfo;
    const { validTo } = new X509Certificate(cert);
    assert.deepEqual(await servedBy(`https://localhost:${port}`), new Date(validTo));
    assert.deepEqual(await servedBy(`https://127.0.0.1:${port}`), new Date(validTo));
    assert.equal(await servedBy("https://localhost:1"), undefined);
    assert.equal(await servedBy(`http://localhost:${port}`), undefined);
  });

  it("has the end of the last backup", async () => {
    assert.equal(await valueOf("backup"), undefined);
    const options = { keep: 2, release: "1.0.0" };
    await backUpTo(app, temporaryFolder("observed-backup"), options);
    assert.equal(await valueOf("backup"), stoppedAt.getTime() / 1000);
    assert.equal(await valueOf("backupFailed"), 0);

    await assert.rejects(backUpTo(app, "/dev/null/backup", options));
    assert.equal(await valueOf("backup"), stoppedAt.getTime() / 1000);
    assert.equal(await valueOf("backupFailed"), 1);
  });

  it("has the time for which a job could have run, not its age", async () => {
    const { queue } = app;
    await queue.enqueue("mail.followed", {}, { delayMs: 60_000 });
    assert.equal(await queue.inspector.waitingSince("mail"), undefined);
    await queue.enqueue("mail.account", { userId: "u1" });
    const since = await queue.inspector.waitingSince("mail");
    assert.ok(since && Math.abs(Date.now() - since.getTime()) < 60_000, String(since));
  });

  it("is read by indexes", async () => {
    const plans = await plansOf(service, () => read());
    assertIndexed(plans, 4);
  });

  it("is read once for several scrapes, and lacks what can't be read", async () => {
    const { operationState } = app.storage;
    const { readSyncs } = operationState;
    let reads = 0;
    operationState.readSyncs = async () => {
      reads++;
      throw new Error("away");
    };
    const reader = stateReader(app, { version: "1.0.0" }, "api");
    const [first, second] = await Promise.all([reader(), reader()]);
    operationState.readSyncs = readSyncs;

    assert.equal(reads, 1);
    assert.equal(first, second);
    assert.ok(first.some(({ gauge }) => gauge === "diskFree"));
    assert.ok(!first.some(({ gauge }) => gauge === "lag"));
  });
});

describe("a relay", () => {
  it("passes on what a child process observes", async () => {
    const counted: unknown[][] = [];
    const note = (...given: unknown[]) => void counted.push(given);
    const sent: Parameters<typeof countRelayed>[0][] = [];
    const relay = openRelay((observations) => sent.push(observations));
    observeWith(relay.observer);
    try {
      noteCount("syncs", { outcome: "done" });
      assert.equal(await measured("job", { job: "sync.run" }, async () => 7), 7);
      await assert.rejects(
        measured("job", { job: "sync.run" }, async () => Promise.reject(new Error("no"))),
        /no/,
      );
      relay.flush();
      relay.flush();
      observeWith({ run: relay.observer.run, ended: note, count: note });
      for (const batch of structuredClone(sent)) countRelayed(batch);
    } finally {
      observeWith(undefined);
    }

    assert.equal(sent.length, 1);
    assert.deepEqual(
      counted.map(([kind, labels, third, hasFailed]) => [kind, labels, hasFailed ?? third]),
      [
        ["syncs", { outcome: "done" }, 1],
        ["job", { job: "sync.run" }, false],
        ["job", { job: "sync.run" }, true],
      ],
    );
  });
});
