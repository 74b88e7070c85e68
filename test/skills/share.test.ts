/** Shares of an anonymous identity: who sees them and who may do what with them. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { SharedPayload } from "../../contract/payloads/skills/share.ts";
import type {
  ResolveResult,
  SkillDetailPayload,
  SkillPayload,
} from "../../contract/payloads/skills/skills.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import {
  listShares,
  newIdentity,
  removeShare,
  share,
  shareText,
  signedCall,
  stage,
  type Identity,
} from "../support/anonymous.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";
import { makePackage, makeZip, skillMd } from "../support/zip.ts";

let identity: Identity;

const { service } = await setUpService();

beforeEach(async () => {
  identity = await newIdentity(service);
});

const text = (name: string, content = `# ${name}\n`) => ({ name, content });
const shared = (name: string, by = identity) => shareText(service, by, name);
const own = (by = identity) => listShares(service, by);
const placesOf = async (by = identity) => (await service.app.storage.anonymousIdentities.find(by.id))!.shares;
const remove = (skill: SkillPayload, by = identity) => removeShare(service, by, skill);

describe("a share", () => {
  it("is unlisted, belongs to no account, and anyone can read it by its link", async () => {
    const answer = await share(
      service,
      identity,
      text("Reviewing", "---\ndescription: Reads\n---\n# Read\n"),
    );

    const { skill, url, installCommand, unchanged, warnings } = answer.data;
    assert.equal(url, `${service.url}/s/${skill.publicId}`);
    assert.equal(installCommand, `svc install ${url}`);
    assert.deepEqual([unchanged, warnings], [false, []]);
    assert.deepEqual(answer.data.identity, {
      username: identity.username,
      tenantSlug: identity.username,
      anonymous: true,
    });
    assert.deepEqual(
      [skill.visibility, skill.slug, skill.tenantId, skill.tenantSlug, skill.createdBy, skill.folderId],
      ["unlisted", "reviewing", identity.id, identity.username, identity.id, null],
    );
    const page = await service.raw("GET", `/s/${skill.publicId}`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), new RegExp(`${identity.username}/reviewing`));
    for (const ref of [url, skill.publicId, `${identity.username}/reviewing`]) {
      const found = await service.call<ResolveResult>(
        "GET",
        `/api/skills/resolve?ref=${encodeURIComponent(ref)}`,
      );
      assert.equal(found.data.skill.id, skill.id, ref);
      assert.equal(found.data.version.author, null);
    }
    const content = await service.call<{ content: string }>("GET", `/api/skills/${skill.publicId}/content`);
    assert.equal(content.data.content, "# Read\n");
  });

  it("is in no other caller's list, and can't be found by a bare name", async () => {
    const skill = await shared("Hidden away");
    await service.settled();
    const [person, stranger] = [await service.newUser(), await newIdentity(service)];
    const org = await service.newOrg(person);

    for (const options of [{}, { token: person.token }]) {
      const explored = await service.call<unknown[]>("GET", "/api/explore?query=hidden", options);
      assert.deepEqual(explored.data, []);
      const bare = await service.call("GET", "/api/skills/resolve?ref=hidden-away", options);
      assert.ok(bare.status === 404 || bare.status === 401);
    }
    assert.deepEqual((await service.call("GET", "/api/skills", { token: person.token })).data, []);
    assert.deepEqual(await own(stranger), []);
    const tenants = await service.call<{ id: string }[]>("GET", "/api/tenants", { token: person.token });
    assert.deepEqual(
      tenants.data.map(({ id }) => id),
      [org.id],
    );
    for (const path of [
      "",
      "/members",
      "/audit-log",
      "/folders",
      "/analytics",
      "/tokens",
      "/personal-workspaces",
    ])
      for (const ref of [identity.id, identity.username]) {
        const seen = await service.call("GET", `/api/tenants/${ref}${path}`, { token: person.token });
        assert.equal(seen.code, "not_found", `${ref}${path}`);
        const itself = await signedCall(service, identity, "GET", `/api/tenants/${ref}${path}`);
        assert.ok(["not_found", "forbidden"].includes(itself.code!), `${ref}${path}: ${itself.status}`);
      }
    assert.deepEqual(
      (await own()).map(({ id }) => id),
      [skill.id],
    );
  });

  it("reserves the name of its identity, so that no organization can take it", async () => {
    const person = await service.newUser();
    for (const body of [{ name: "Mine", slug: identity.username }, { name: identity.username }]) {
      const answer = await service.call("POST", "/api/tenants", { token: person.token, body });
      assert.ok(answer.code === "invalid_request" || answer.code === "refused", JSON.stringify(answer.body));
    }
    const like = await service.call("POST", "/api/tenants", {
      token: person.token,
      body: { name: "Anon", slug: `anon-${person.username}` },
    });
    assert.equal(like.status, 201);
  });

  it("can be a rule, or a package that was staged", async () => {
    const rule = await share(service, identity, { ...text("House rules"), type: "rule" });
    assert.equal(rule.data.skill.type, "rule");
    const uploadId = await stage(service, identity, makePackage("kit", { "data/x.txt": "x" }));
    const kit = await share(service, identity, { uploadId });
    assert.deepEqual([kit.data.skill.slug, kit.data.skill.format], ["kit", "package"]);
    const zip = await service.raw("GET", `/api/skills/${kit.data.skill.publicId}/package`);
    assert.equal(zip.status, 200);
    await zip.arrayBuffer();
  });

  it("of the same name and bytes is the existing one, and with other bytes a new one", async () => {
    const first = await share(service, identity, text("Twice"));
    const again = await share(service, identity, text("twice", "# Twice\n"));
    assert.deepEqual([again.status, again.data.unchanged], [201, true]);
    assert.equal(again.data.skill.id, first.data.skill.id);
    assert.equal(again.data.warnings.length, 1);
    const [a, b] = [
      await share(service, identity, { uploadId: await stage(service, identity, makePackage("kit")) }),
      await share(service, identity, { uploadId: await stage(service, identity, makePackage("kit")) }),
    ];
    assert.equal(b.data.skill.id, a.data.skill.id);

    assert.equal((await share(service, identity, text("Twice", "other\n"))).data.skill.slug, "twice-2");
    assert.equal((await share(service, identity, text("Thrice", "# Twice\n"))).data.skill.slug, "thrice");
    const typed = await share(service, identity, { ...text("Twice"), type: "rule" });
    assert.equal(typed.data.skill.slug, "twice-3");
    assert.equal((await placesOf()).length, 5);
  });

  it("is created once for one Idempotency-Key, although each call has a new signature", async () => {
    const call = () =>
      signedCall<SharedPayload>(service, identity, "POST", "/api/share", {
        body: text("Once"),
        headers: { "idempotency-key": "share-once-only" },
      });
    const [first, second] = [await call(), await call()];

    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.deepEqual(second.data, first.data);
    assert.equal(second.data.unchanged, false);
    const other = await newIdentity(service);
    const theirs = await signedCall<SharedPayload>(service, other, "POST", "/api/share", {
      body: text("Once"),
      headers: { "idempotency-key": "share-once-only" },
    });
    assert.notEqual(theirs.data.skill.id, first.data.skill.id);
  });

  it("requires an anonymous key, and accepts no visibility", async () => {
    const person = await service.newUser();
    assert.equal((await service.call("POST", "/api/share", { body: text("x") })).code, "unauthenticated");
    for (const credentials of [{ token: person.token }, { cookie: person.cookie }])
      assert.equal(
        (await service.call("POST", "/api/share", { ...credentials, body: text("x") })).code,
        "forbidden",
      );
    for (const more of [
      { visibility: "public" },
      { tenantId: identity.id },
      { folder: "a" },
      { semver: "2.0.0" },
    ])
      assert.equal((await share(service, identity, { ...text("x"), ...more })).code, "invalid_request");
    for (const broken of [{ name: "x" }, { name: "x", content: "a", uploadId: "b" }, { content: "a" }])
      assert.equal((await share(service, identity, broken)).code, "invalid_request", JSON.stringify(broken));
    assert.deepEqual(await placesOf(), []);
  });

  it("rejects zip bombs and broken packages, and keeps no slot for them", async () => {
    const bomb = makeZip([
      { name: "SKILL.md", data: skillMd("bomb") },
      { name: "zeros", data: Buffer.alloc(limits.packageUncompressedBytes + 1) },
    ]);
    for (const zip of [bomb, makeZip([{ name: "README.md", data: "x" }]), Buffer.from("no zip at all")]) {
      const uploadId = await stage(service, identity, zip);
      assert.equal((await share(service, identity, { uploadId })).code, "package_invalid");
      assert.equal((await share(service, identity, { uploadId })).code, "not_found", "the upload is gone");
    }
    for (const nesting of ["[", "{a: ", "- ", "? "]) {
      const content = `---\nname: a\ndescription: b\nx:\n ${nesting.repeat(1500)}\n---\nx\n`;
      assert.equal((await share(service, identity, { name: "x", content })).code, "content_invalid");
      const uploadId = await stage(service, identity, makeZip([{ name: "SKILL.md", data: content }]));
      assert.match((await share(service, identity, { uploadId })).error ?? "", /nested over 32 levels deep/);
    }
    for (const content of ["", "\0", "---\nname: [\n---\nx\n"])
      assert.ok((await share(service, identity, { name: "x", content })).status >= 400);
    assert.equal(
      (await share(service, identity, text("Long", "x".repeat(limits.textContentBytes + 1)))).code,
      "payload_too_large",
    );
    assert.deepEqual(await placesOf(), []);
    assert.deepEqual(await own(), []);
  });
});

describe("the owner of a share", () => {
  it("can read, change, push to, revert and delete it", async () => {
    const skill = await shared("Mine");
    const path = `/api/skills/${skill.id}`;
    const changed = await signedCall<SkillDetailPayload>(service, identity, "PUT", path, {
      body: { name: "Mine too", description: "d", tags: ["a"], visibility: "unlisted" },
    });
    assert.deepEqual([changed.data.name, changed.data.visibility], ["Mine too", "unlisted"]);
    for (const body of [
      { content: "two\n" },
      { content: "three\n", prerelease: true },
      { content: "four\n", bump: "major" },
    ])
      assert.equal((await signedCall(service, identity, "POST", `${path}/versions`, { body })).status, 201);
    const reverted = await signedCall<SkillPayload>(service, identity, "POST", `${path}/revert`, {
      body: { version: 1 },
    });
    assert.equal(reverted.data.currentSemver, "1.0.0");
    assert.equal((await remove(skill)).status, 200);
    assert.equal((await service.call("GET", path)).status, 401);
    assert.equal((await service.raw("GET", `/s/${skill.publicId}`)).status, 303);
  });

  it("can't make it public or private, nor move it anywhere", async () => {
    const skill = await shared("Stays");
    const { org } = await newOrganization(service);
    for (const visibility of ["public", "private"]) {
      const answer = await signedCall(service, identity, "PUT", `/api/skills/${skill.id}`, {
        body: { visibility, name: "Renamed" },
      });
      assert.equal(answer.code, "refused");
      assert.match(answer.error!, /always unlisted/);
    }
    for (const body of [
      { folder: "a", createFolders: true },
      { folder: "a" },
      { folderId: service.app.newId() },
    ]) {
      const answer = await signedCall(service, identity, "POST", `/api/skills/${skill.id}/move`, { body });
      assert.ok(["not_found", "forbidden"].includes(answer.code!), JSON.stringify(answer.body));
    }
    for (const tenantId of [org.id, org.slug, identity.id, identity.username]) {
      const answer = await signedCall(service, identity, "POST", "/api/skills", {
        body: { tenantId, name: "Planted", content: "x\n", visibility: "public" },
      });
      assert.equal(answer.code, "not_found", tenantId);
    }
    const [kept] = await own();
    assert.deepEqual([kept!.name, kept!.visibility], ["Stays", "unlisted"]);
  });

  it("is the only one who can change it; others can only read it", async () => {
    const skill = await shared("Guarded");
    const person = await service.newUser();
    await service.newOrg(person);
    const other = await newIdentity(service);
    const acts: [string, string, unknown?][] = [
      ["PUT", `/api/skills/${skill.id}`, { name: "Taken over" }],
      ["POST", `/api/skills/${skill.id}/versions`, { content: "theirs\n" }],
      ["POST", `/api/skills/${skill.id}/revert`, { version: 1 }],
      ["POST", `/api/skills/${skill.id}/move`, { folder: "/" }],
      ["GET", `/api/skills/${skill.id}/analytics`],
      ["DELETE", `/api/skills/${skill.id}`],
    ];
    for (const [method, path, body] of acts) {
      const request = `${method} ${path}`;
      const options = body === undefined ? {} : { body };
      assert.equal((await signedCall(service, other, method, path, options)).code, "forbidden", request);
      assert.equal(
        (await service.call(method, path, { token: person.token, ...options })).code,
        "forbidden",
        request,
      );
      assert.equal((await service.call(method, path, options)).code, "unauthenticated", request);
    }
    assert.equal((await signedCall(service, other, "GET", `/api/skills/${skill.id}`)).status, 200);
    const installed = await signedCall<{ recorded: boolean }>(
      service,
      identity,
      "PUT",
      `/api/skills/${skill.id}/installs`,
      { body: { platform: "claude", scope: "global", version: 1, machine: "m" } },
    );
    assert.deepEqual(installed.data, { recorded: false });
  });

  it("gets the same response for a private skill of others as for a nonexistent one", async () => {
    const { owner: person, org } = await newOrganization(service);
    const made = await service.call<{ skill: SkillPayload }>("POST", "/api/skills", {
      token: person.token,
      body: { tenantId: org.id, name: "Secret", content: "x\n" },
    });
    const [unseen, unknown] = [made.data.skill.id, service.app.newId()];
    const answers = await Promise.all(
      [unseen, unknown].map((id) => signedCall(service, identity, "GET", `/api/skills/${id}`)),
    );

    const words = answers.map(({ status, error }, at) => [
      status,
      error!.replace(at === 0 ? unseen : unknown, "it"),
    ]);
    assert.deepEqual(words[0], words[1]);
    assert.equal(words[0]![0], 404);
  });

  it("has an audit log of its own tenant, with entries under its own name", async () => {
    const skill = await shared("Logged");
    await signedCall(service, identity, "PUT", `/api/skills/${skill.id}`, { body: { description: "d" } });
    await remove(skill);
    await service.settled();
    await eraseSkill(service.app, { tenantId: identity.id, skillId: skill.id });

    const events = await service.app.storage.database.raw
      .collection("audit_events")
      .find({ tenantId: identity.id })
      .sort({ createdAt: 1, _id: 1 })
      .toArray();
    assert.deepEqual(
      events.map(({ name }) => name as string),
      ["user.anonymous_registered", "skill.created", "skill.updated", "skill.deleted"],
    );
    for (const { actor, userId } of events) {
      assert.deepEqual(actor, { type: "anonymous", id: identity.id, name: identity.username });
      assert.equal(userId, undefined);
    }
  });
});
