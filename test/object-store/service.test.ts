/** The service with an object store: two processes on machines of their own, with one database. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { openObjectStore } from "../../repos/object-store/s3.ts";
import { repairStore } from "../../src/operations/repair.ts";
import { verifyStore } from "../../src/operations/verify.ts";
import { removeStrayObjects } from "../../src/skills/publish/content/upload-bytes.ts";
import { plainGitEnv } from "../support/native-git.ts";
import { newBucket, whyNoObjectStore } from "../support/object-store.ts";
import { setUpOrganization, setUpService } from "../support/set-up.ts";
import { makePackage } from "../support/zip.ts";

const skip = whyNoObjectStore();
const run = promisify(execFile);
const none = () => undefined;

/** A package that is packed and zipped in a thread. */
function largePackage() {
  const data = randomBytes(3 * 1024 * 1024).toString("base64");
  const zip = makePackage("packed", { "data.txt": data });
  return { zip, facts: { size: zip.length, sha256: createHash("sha256").update(zip).digest("hex") } };
}

describe("the service with an object store", { skip }, async () => {
  if (skip !== undefined) return;
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-objects-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const gitStore = await newBucket();
  const objects = openObjectStore(gitStore);
  after(() => objects.close());
  const machine = (name: string) => ({
    gitStore,
    gitRoot: path.join(folder, name, "git"),
    cacheDir: path.join(folder, name, "cache"),
  });
  const { service, owner, org } = await setUpOrganization(machine("one"));
  const { mongodbDatabase, secretKeys } = service.app.config;
  const { service: other } = await setUpService({ ...machine("two"), mongodbDatabase, secretKeys });

  const publish = async (name: string, fields: Record<string, unknown> = {}, to = service) => {
    const body = { tenantId: org.id, name, content: `# ${name}\n`, ...fields };
    const answer = await to.call<{ skill: { id: string; slug: string } }>("POST", "/api/skills", {
      token: owner.token,
      body,
    });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.data.skill;
  };
  const clone = async (from: typeof service, slug: string) => {
    const url = new URL(`/${org.slug}/${slug}.git`, from.url);
    Object.assign(url, { username: "anybody", password: owner.token });
    const target = mkdtempSync(path.join(folder, "clone-"));
    await run("git", ["clone", "--quiet", url.href, target], { env: plainGitEnv });
    return target;
  };
  const keysOf = async (prefix: string) => {
    const keys: string[] = [];
    for await (const { key } of objects.list(prefix)) keys.push(key);
    return keys;
  };

  it("publishes through one process, and reads, clones and publishes through another", async () => {
    const skill = await publish("shared");
    await publish("shared", { content: "# second\n", mode: "update" }, other);

    for (const from of [service, other]) {
      const read = await from.call<{ content: string }>("GET", `/api/skills/${skill.id}/content`, {
        token: owner.token,
      });
      assert.equal(read.status, 200, JSON.stringify(read.body));
      const target = await clone(from, skill.slug);
      const { stdout } = await run("git", ["-C", target, "log", "--format=%s"], { env: plainGitEnv });
      assert.equal(stdout.trim().split("\n").length, 2);
      const tags = await run("git", ["-C", target, "tag"], { env: plainGitEnv });
      assert.equal(tags.stdout.trim().split("\n").length, 2);
    }
    assert.equal((await keysOf(`t/${org.id}/s/${skill.id}/`)).length, 2);
  });

  it("publishes a package through one process that was uploaded to another", async () => {
    const { zip, facts } = largePackage();
    const announced = await service.call<{ uploadId: string }>("POST", "/api/uploads", {
      token: owner.token,
      body: facts,
    });
    const { uploadId } = announced.data;
    const sent = await service.call("PUT", `/api/uploads/${uploadId}`, { token: owner.token, bytes: zip });
    assert.ok(sent.status < 300, JSON.stringify(sent.body));
    assert.deepEqual(await keysOf("uploads/"), [`uploads/${uploadId}.zip`]);
    await removeStrayObjects(other.app);

    const skill = await publish("packed", { content: undefined, uploadId }, other);

    assert.deepEqual(await keysOf("uploads/"), []);
    for (const name of ["one", "two"]) {
      const uploads = path.join(folder, name, "git", "uploads");
      assert.deepEqual(existsSync(uploads) ? readdirSync(uploads) : [], []);
    }
    for (const from of [other, service]) {
      const { status, headers } = await from.raw("GET", `/api/skills/${skill.id}/package`, {
        token: owner.token,
      });
      assert.equal(status, 200, JSON.stringify([...headers]));
    }
    await objects.put("uploads/5f0000000000000000000009.zip", [Buffer.from("of a killed process")]);
    await removeStrayObjects(service.app);
    assert.deepEqual(await keysOf("uploads/"), []);
  });

  it("is verified without faults, and reports lost objects without deleting the skill", async () => {
    const skill = await publish("lost");
    assert.deepEqual((await verifyStore(service.app, none)).faults, []);
    await objects.remove(await keysOf(`t/${org.id}/s/${skill.id}/`));

    const report = await verifyStore(other.app, none);
    const repaired = await repairStore(other.app, report);

    assert.deepEqual(
      report.faults.map(({ kind, skillId }) => [kind, skillId]),
      [["content", skill.id]],
    );
    assert.match(report.faults[0]!.problem, /objects of its repository are lost/);
    assert.deepEqual([repaired.deleted, repaired.left.length], [0, 1]);
    await assert.rejects(clone(other, skill.slug), /(remote error|HTTP 5|returned error: 5)/);
  });

  it("erases a deleted skill from the object store", async () => {
    const skill = await publish("deleted");
    const deleted = await service.call("DELETE", `/api/skills/${skill.id}`, { token: owner.token });
    assert.ok(deleted.status < 300, JSON.stringify(deleted.body));
    await service.settled();

    const { eraseSkill } = await import("../../src/skills/settings/erase.ts");
    await eraseSkill(service.app, { tenantId: org.id, skillId: skill.id });

    assert.deepEqual(await keysOf(`t/${org.id}/s/${skill.id}/`), []);
    assert.equal((await keysOf("erased/")).length, 1);
  });
});
