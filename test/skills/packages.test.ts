import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { ManifestPayload, PublishResult, VersionResult } from "../../contract/payloads/skills/skills.ts";
import type { OpenUploadPayload } from "../../contract/payloads/skills/uploads.ts";
import type { UserActor } from "../../src/access/actor.ts";
import { claimUpload } from "../../src/skills/publish/content/uploads.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { makePackage, makeZip, skillMd } from "../support/zip.ts";

const { service, clock, owner: user, org } = await setUpOrganization();
const other = await service.newUser();

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");
const filesInUploads = () => {
  const folder = path.join(service.app.config.gitRoot, "uploads");
  return existsSync(folder) ? readdirSync(folder) : [];
};
const publish = (body: object, token = user.token) =>
  service.call<PublishResult>("POST", "/api/skills", { token, body: { tenantId: org.slug, ...body } });
const announce = (body: object, token = user.token) =>
  service.call<{ uploadId: string; url: string; expiresAt: string }>("POST", "/api/uploads", { token, body });
const send = (url: string, bytes: Buffer, token = user.token) => service.call("PUT", url, { token, bytes });

async function discardAll(): Promise<void> {
  clock.aheadMs += limits.uploadMs + 1;
  await purge(service.app);
}

describe("publishing a package", () => {
  it("stores its files unchanged, with their modes, and removes the upload", async () => {
    const zip = makeZip([
      { name: "scripts/", mode: 0o040755 },
      { name: "scripts/run.sh", data: "#!/bin/sh\n", mode: 0o100755 },
      { name: "SKILL.md", data: skillMd("packed", "Packs things.") },
      { name: "leer.txt", data: "" },
      { name: "bild/größe 1.png", data: Buffer.from([0, 255, 1, 254]) },
    ]);

    const made = await publish({ uploadId: await service.upload(user, zip) });

    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.data.skill.name, "packed");
    assert.equal(made.data.skill.description, "Packs things.");
    assert.equal(made.data.version.format, "package");
    assert.equal(made.data.version.fileCount, 4);
    const manifest = await service.call<ManifestPayload>(
      "GET",
      `/api/skills/${made.data.skill.id}/manifest`,
      { token: user.token },
    );
    assert.deepEqual(
      manifest.data.files.map(({ path: name, mode, size }) => [name, mode, size]),
      [
        ["SKILL.md", "100644", Buffer.byteLength(skillMd("packed", "Packs things."))],
        ["bild/größe 1.png", "100644", 4],
        ["leer.txt", "100644", 0],
        ["scripts/run.sh", "100755", 10],
      ],
    );
    assert.equal(manifest.data.files[1]!.sha256, sha256(Buffer.from([0, 255, 1, 254])));
    assert.deepEqual(filesInUploads(), []);
    assert.equal(await service.app.storage.uploads.takenSlots(`user:${user.id}`).then((s) => s.length), 0);
  });

  it("treats the same files in another zip as unchanged, and a changed mode as a change", async () => {
    const entries = [
      { name: "SKILL.md", data: skillMd("same-files") },
      { name: "a.sh", data: "a" },
    ];
    const made = await publish({ uploadId: await service.upload(user, makeZip(entries)) });
    const push = async (zip: Buffer) =>
      service.call<VersionResult>("POST", `/api/skills/${made.data.skill.id}/versions`, {
        token: user.token,
        body: { uploadId: await service.upload(user, zip), ifChanged: true },
      });

    const again = await push(makeZip(entries.toReversed().map((entry) => ({ ...entry, stored: true }))));
    const executable = await push(makeZip([entries[0]!, { ...entries[1]!, mode: 0o100755 }]));

    assert.equal(again.data.unchanged, true);
    assert.equal(again.data.version, 1);
    assert.equal(executable.data.unchanged, false);
    assert.equal(executable.data.version, 2);
  });

  it("may follow a text version, and be followed by one", async () => {
    const made = await publish({ name: "changing", content: "text\n" });
    const pushed = await publish({
      name: "changing",
      uploadId: await service.upload(user, makePackage("changing")),
    });
    const back = await publish({ name: "changing", content: "text\n" });

    assert.equal(made.data.version.format, "markdown");
    assert.deepEqual([pushed.data.version.format, pushed.data.version.version], ["package", 2]);
    assert.deepEqual([back.data.version.format, back.data.version.version], ["markdown", 3]);
  });

  it("keeps the upload after a failure that its bytes did not cause", async () => {
    const uploadId = await service.upload(user, makePackage("kept-upload"));

    const refused = await publish({ uploadId, mode: "update" });
    const lower = await publish({ uploadId, semver: "not a version" });
    const published = await publish({ uploadId });

    assert.equal(refused.code, "not_found");
    assert.equal(lower.code, "invalid_request");
    assert.equal(published.data.action, "created");
  });

  it("consumes an upload in one of two concurrent publishes", async () => {
    const uploadId = await service.upload(user, makePackage("claimed-once"));

    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => publish({ uploadId, name: `claimed once ${i}` })),
    );

    assert.deepEqual(
      answers.map((a) => a.status).toSorted((a, b) => a - b),
      [201, 404, 404, 404, 404, 404],
    );
    assert.equal((await publish({ uploadId })).code, "not_found");
    assert.deepEqual(filesInUploads(), []);
  });
});

describe("staged uploads", () => {
  const zip = makePackage("staged");
  const facts = { size: zip.length, sha256: sha256(zip) };

  it("report when they expire, and what was received", async () => {
    const { data } = await announce(facts);

    const stored = await send(data.url, zip);

    assert.equal(Date.parse(data.expiresAt) - Date.now() - clock.aheadMs > limits.uploadMs - 10_000, true);
    assert.deepEqual(stored.data, { uploadId: data.uploadId, ...facts });
    assert.deepEqual(filesInUploads(), [`${data.uploadId}.zip`]);
    await discardAll();
  });

  it("discard incorrect, missing or surplus bytes, and may be sent again", async () => {
    const { data } = await announce(facts);
    const wrong = Buffer.from(zip);
    wrong[40]! ^= 1;

    const answers = [
      await send(data.url, wrong),
      await send(data.url, zip.subarray(0, 100)),
      await send(data.url, Buffer.alloc(0)),
      await send(data.url, Buffer.concat([zip, Buffer.alloc(1)])),
      await send(data.url, Buffer.alloc(4_000_000)),
    ];

    assert.deepEqual(
      answers.map((a) => a.code),
      Array(5).fill("upload_mismatch"),
    );
    assert.deepEqual(filesInUploads(), []);
    assert.equal((await publish({ uploadId: data.uploadId })).code, "not_found");
    assert.equal((await send(data.url, zip)).status, 200);
    assert.deepEqual(filesInUploads(), [`${data.uploadId}.zip`]);
    await discardAll();
    assert.deepEqual(filesInUploads(), []);
  });

  it("may be sent again after a lost response, but not with other bytes", async () => {
    const { data } = await announce(facts);
    const first = await send(data.url, zip);
    assert.equal(first.status, 200);
    assert.deepEqual((await send(data.url, zip)).data, first.data);
    assert.equal((await send(data.url, zip.subarray(1))).code, "upload_mismatch");
    assert.equal((await publish({ uploadId: data.uploadId })).status, 201);
    assert.equal((await send(data.url, zip)).code, "not_found");
    assert.deepEqual(filesInUploads(), []);
  });

  it("discard the bytes of a connection that is aborted", async () => {
    const { data } = await announce({ size: 1_000_000, sha256: "0".repeat(64) });
    const controller = new AbortController();
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(new Uint8Array(200_000));
        setTimeout(() => controller.abort(), 100);
      },
    });
    const sending = fetch(data.url, {
      method: "PUT",
      body,
      signal: controller.signal,
      headers: { authorization: `Bearer ${user.token}` },
      duplex: "half",
    });

    await assert.rejects(sending);

    await until("the part is removed", () => filesInUploads().length === 0);
    assert.equal((await service.app.storage.uploads.find(data.uploadId))?.state, "open");
    await discardAll();
  });

  it("can't be sent or published by other users, nor by anonymous callers", async () => {
    const { data } = await announce(facts);

    assert.equal((await send(data.url, zip, other.token)).code, "not_found");
    assert.equal((await service.call("PUT", data.url, { bytes: zip })).code, "unauthenticated");
    await send(data.url, zip);
    const theirs = await service.newOrg(other);
    const stolen = await service.call("POST", "/api/skills", {
      token: other.token,
      body: { tenantId: theirs.slug, uploadId: data.uploadId },
    });

    assert.equal(stolen.code, "not_found");
    assert.equal((await publish({ uploadId: data.uploadId })).status, 201);
  });

  it("expire after an hour, whether sent or not", async () => {
    const open = (await announce(facts)).data;
    const stored = (await announce(facts)).data;
    await send(stored.url, zip);
    clock.aheadMs += limits.uploadMs + 1;

    assert.equal((await send(open.url, zip)).code, "not_found");
    assert.equal((await publish({ uploadId: stored.uploadId })).code, "not_found");
    await purge(service.app);
    assert.deepEqual(filesInUploads(), []);
    assert.equal(await service.app.storage.uploads.find(stored.uploadId), null);
  });

  it("are limited to ten, and the oldest that is not being sent or published is replaced", async () => {
    await discardAll();
    const list = async (token = user.token) =>
      (await service.call<OpenUploadPayload[]>("GET", "/api/uploads", { token })).data;
    const first = (await announce(facts)).data;
    await send(first.url, zip);
    assert.deepEqual(
      (await list()).map((one) => [one.uploadId, one.size, one.sha256, one.state]),
      [[first.uploadId, facts.size, facts.sha256, "stored"]],
    );
    for (let n = 1; n < limits.openUploads; n++) await announce(facts);

    const further = await announce(facts);

    assert.equal(further.status, 201);
    assert.equal((await list()).length, limits.openUploads);
    assert.deepEqual(filesInUploads(), []);
    assert.equal((await publish({ uploadId: first.uploadId })).code, "not_found");
    assert.equal((await send(further.data.url, zip)).status, 200);
    assert.equal((await publish({ uploadId: further.data.uploadId, name: "The last" })).status, 201);
    assert.equal((await list()).length, limits.openUploads - 1);
    const answers = await Promise.all(Array.from({ length: 30 }, () => announce(facts)));
    assert.ok(answers.some(({ status }) => status === 201));
    assert.equal((await list()).length, limits.openUploads);
    assert.deepEqual(await list(other.token), []);
    await discardAll();
  });

  it("that are being published are neither replaced nor removed", async () => {
    const { uploads } = service.app.storage;
    const claimed = [];
    const owner = `user:${user.id}`;
    const inMs = (ms: number) => new Date(service.app.now().getTime() + ms);
    for (let n = 0; n < limits.openUploads; n++) {
      const { data } = await announce(facts);
      await send(data.url, zip);
      claimed.push(data.uploadId);
      const claim = { id: data.uploadId, until: inMs(limits.uploadClaimMs) };
      const fields = { now: service.app.now(), claim, expiresAt: inMs(limits.uploadMs) };
      assert.ok(await uploads.claim(data.uploadId, owner, fields));
    }
    const remove = (id: string, token = user.token) =>
      service.call("DELETE", `/api/uploads/${id}`, { token });

    assert.equal((await announce(facts)).code, "limit_reached");
    assert.equal((await remove(claimed[0]!)).code, "conflict");
    await uploads.unclaim(claimed[0]!, claimed[0]!);
    assert.equal((await remove(claimed[0]!, other.token)).code, "not_found");
    assert.equal((await remove(claimed[0]!)).status, 200);
    assert.equal((await remove(claimed[0]!)).code, "not_found");
    assert.equal(filesInUploads().length, limits.openUploads - 1);
    assert.equal((await announce(facts)).status, 201);
    for (const id of claimed.slice(1)) await uploads.unclaim(id, id);
    await discardAll();
  });

  it("that a killed process was publishing are free after two minutes", async () => {
    const { uploads } = service.app.storage;
    const inMs = (ms: number) => new Date(service.app.now().getTime() + ms);
    const ids: string[] = [];
    for (let n = 0; n < limits.openUploads; n++) {
      const { data } = await announce(facts);
      await send(data.url, zip);
      ids.push(data.uploadId);
      const claim = { id: "killed", until: inMs(limits.uploadClaimMs) };
      const fields = { now: service.app.now(), claim, expiresAt: inMs(limits.uploadMs) };
      assert.ok(await uploads.claim(data.uploadId, `user:${user.id}`, fields));
    }
    const [first, second] = ids as [string, string];
    const states = async () =>
      (await service.call<{ state: string }[]>("GET", "/api/uploads", { token: user.token })).data.map(
        ({ state }) => state,
      );
    assert.equal((await publish({ uploadId: first, name: "Retried" })).code, "not_found");
    assert.equal((await announce(facts)).code, "limit_reached");
    assert.ok((await states()).every((state) => state === "claimed"));

    clock.aheadMs += limits.uploadClaimMs + 1;
    assert.ok((await states()).every((state) => state === "stored"));
    assert.equal((await publish({ uploadId: first, name: "Retried" })).status, 201);
    const removed = await service.call("DELETE", `/api/uploads/${second}`, { token: user.token });
    assert.equal(removed.status, 200);
    for (let n = 0; n < 3; n++) assert.equal((await announce(facts)).status, 201);
    await discardAll();
  });

  it("that are published have their claims renewed, and are not discarded by a late one", async () => {
    const { uploads } = service.app.storage;
    const { data } = await announce(facts);
    await send(data.url, zip);
    const { _id: id, owner } = (await uploads.find(data.uploadId))!;
    const actor = { kind: "user", userId: user.id } as UserActor;
    const late = await claimUpload(service.app, actor, id);
    const { claim } = (await uploads.find(id))!;
    await uploads.renewClaim(id, claim!.id, new Date(claim!.until.getTime() + 1000));
    clock.aheadMs += limits.uploadClaimMs + 1;
    await assert.rejects(claimUpload(service.app, actor, id), { code: "not_found" });

    clock.aheadMs += 1000;
    const next = await claimUpload(service.app, actor, id);
    await late.discard();
    await late.release();
    assert.equal((await uploads.find(id))?.state, "claimed");
    assert.equal(owner, `user:${user.id}`);
    await next.discard();
    assert.equal(await uploads.find(id), null);
    await discardAll();
  });

  it("are rejected over the size limit before a byte is sent", async () => {
    const tooLarge = await announce({ size: limits.packageCompressedBytes + 1, sha256: facts.sha256 });

    assert.equal(tooLarge.code, "payload_too_large");
    for (const body of [
      { size: 0, sha256: facts.sha256 },
      { size: 1.5, sha256: facts.sha256 },
      { size: "10", sha256: facts.sha256 },
      { size: 10, sha256: facts.sha256.toUpperCase() },
      { size: 10, sha256: "xyz" },
      { size: 10 },
      { ...facts, extra: true },
    ])
      assert.equal((await announce(body)).code, "invalid_request", JSON.stringify(body));
  });
});
