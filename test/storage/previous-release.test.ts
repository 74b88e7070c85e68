/**
 * A start on the data of the previous release: `releases/<version>.json.gz` has its export, Git root and keys. Before a
 * release, `SVC_RECORD_RELEASE=1 npm test -- storage/previous-release` writes the one of the present sources, which
 * the next release is tested with; remove the older one then.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { verifyStore } from "../../src/operations/verify.ts";
import { openDatabase } from "../../storage/database.ts";
import { migrations } from "../../storage/database/migrations/list.ts";
import { migrationsCollection } from "../../storage/database/migrations/migrate.ts";
import { exportLines } from "../../storage/dump/export-lines.ts";
import { importLines } from "../../storage/dump/import-lines.ts";
import { serviceDatabase } from "../support/engine.ts";
import { newFolder, newMember } from "../support/organization.ts";
import { root } from "../support/root.ts";
import { startService } from "../support/service.ts";
import { closedAfter, setUpOrganization } from "../support/set-up.ts";
import { makePackage } from "../support/zip.ts";

/** Parts of the data that a client knows. */
interface Known {
  token: string;
  memberToken: string;
  password: string;
  username: string;
  org: string;
}

interface Recorded {
  version: string;
  known: Known;
  lines: string[];
  /** In Base64, by path in the data folder. */
  files: Record<string, string>;
}

const folder = path.join(root, "test/storage/releases");
const isRecording = process.env["SVC_RECORD_RELEASE"] !== undefined;

if (isRecording) describe("the data of this release", record);
else describe("the data of the previous release", startOnIt);

async function startOnIt(): Promise<void> {
  const archive = path.join(folder, readdirSync(folder)[0]!);
  const { known, lines, files } = JSON.parse(gunzipSync(readFileSync(archive)).toString()) as Recorded;
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "svc-release-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dataDir, name)), { recursive: true });
    writeFileSync(path.join(dataDir, name), Buffer.from(text, "base64"), { mode: 0o600 });
  }
  const { url, name } = await serviceDatabase();
  const database = await openDatabase(url, name);
  await importLines(
    database,
    (async function* () {
      yield* lines;
    })(),
  );
  await database.close();
  const service = await closedAfter(startService({ dataDir, gitRoot: path.join(dataDir, "git") }));
  const call = <T>(target: string, token = known.token) => service.call<T>("GET", target, { token });

  it("is migrated at the first start", async () => {
    const state = service.app.storage.database.collection<{ done: number[] }>(migrationsCollection);

    assert.deepEqual(
      (await state.findOne({}))?.done,
      migrations.map(({ number }) => number),
    );
  });

  it("has every version with its content", async () => {
    const report = await verifyStore(service.app, () => undefined);

    assert.deepEqual([report.skills, report.versions, report.faults], [3, 4, []]);
    const read = async (file: string) =>
      (await service.raw("GET", `/api/skills/${known.org}~${file}`, { token: known.token })).text();
    assert.match(await read("triage/files/SKILL.md?version=1"), /first text/);
    assert.equal(await read("with-files/files/scripts/run.sh"), "echo\n");
  });

  it("admits the people that it admitted, to what they could read", async () => {
    const signedIn = await service.call("POST", "/api/auth/sign-in", {
      headers: { origin: service.app.config.baseUrl },
      body: { email: `${known.username}@example.com`, password: known.password },
    });
    assert.equal(signedIn.status, 200);
    const slugs = async (token: string) =>
      (await call<SkillPayload[]>("/api/skills", token)).data.map(({ slug }) => slug).toSorted();

    assert.deepEqual(await slugs(known.token), ["closed", "triage", "with-files"]);
    assert.deepEqual(await slugs(known.memberToken), ["triage", "with-files"]);
  });

  it("takes further versions", async () => {
    const published = await service.call("POST", `/api/skills/${known.org}~triage/versions`, {
      token: known.token,
      body: { content: "third text\n", bump: "minor" },
    });

    assert.equal(published.status, 201);
  });
}

async function record(): Promise<void> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "svc-release-"));
  const set = await setUpOrganization({ dataDir, gitRoot: path.join(dataDir, "git") });
  const { service, owner, org } = set;

  it("is written as an archive", async () => {
    const call = async <T = { id: string }>(method: string, target: string, body: object) => {
      const answer = await service.call<T>(method, target, { token: owner.token, body });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer.data;
    };
    const publish = (body: object) =>
      call<PublishResult>("POST", "/api/skills", { tenantId: org.id, ...body });
    const member = await newMember(service, org, "member");
    const team = await call("POST", `/api/tenants/${org.id}/teams`, { name: "Data" });
    const vault = await newFolder(service, org, owner, "vault");
    await call("PUT", `/api/folders/${vault.id}/access`, {
      restricted: true,
      grants: [{ principal: { type: "team", id: team.id }, level: "viewer" }],
    });
    const { skill } = await publish({ name: "triage", content: "first text\n", visibility: "public" });
    await call("POST", `/api/skills/${skill.id}/versions`, { content: "second text\n", bump: "minor" });
    await publish({ name: "closed", content: "closed\n", folder: "vault" });
    const zip = makePackage("with-files", { "scripts/run.sh": "echo\n" });
    await publish({ name: "with-files", uploadId: await service.upload(owner, zip) });
    await service.settled();
    const lines: string[] = [];
    for await (const line of exportLines(service.app.storage.database, new Date())) lines.push(line);
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name)))
      .filter((file) => /^(git|secrets)\//.test(file));
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
      version: string;
    };
    const recorded: Recorded = {
      version,
      known: {
        token: owner.token,
        memberToken: member.token,
        password: "correct horse battery",
        username: owner.username,
        org: org.slug,
      },
      lines,
      files: Object.fromEntries(
        files.map((file) => [file, readFileSync(path.join(dataDir, file)).toString("base64")]),
      ),
    };
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `${version}.json.gz`), gzipSync(JSON.stringify(recorded), { level: 9 }));
  });
}
