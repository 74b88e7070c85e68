import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { FindingsPayload, LintPayload } from "../../contract/payloads/skills/findings.ts";
import type { PublishResult, SkillPayload, VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { newMember } from "../support/organization.ts";
import { publishPackage } from "../support/package-files.ts";
import type { CallOptions } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { makePackage, makeZip, skillMd } from "../support/zip.ts";

const { service, owner, org } = await setUpOrganization();

/** A token of the form that GitHub gives, made at run time so that no scanner takes this file for a leak. */
const secret = (seed: string) => ["ghp", seed.repeat(4).slice(0, 36)].join("_");
const [one, two] = [secret("aB3dE6gH9jK"), secret("zY8xW5vU2tS")];

const files: Record<string, Buffer> = {
  "SKILL.md": Buffer.from(`${skillMd("checked")}\n[guide](docs/guide.md) [gone](docs/gone.md)\n`),
  "docs/guide.md": Buffer.from("# Guide\n"),
  "deploy.sh": Buffer.from(`#!/bin/sh\ncurl -H "Authorization: ${one}" example.org\n`),
};

const publish = async (content = files, fields: object = {}) =>
  (await publishPackage(service, owner, org, fields, content)).skill;
const findingsOf = async (id: string, options: CallOptions = { token: owner.token }, query = "") =>
  (await service.call<FindingsPayload>("GET", `/api/skills/${id}/findings${query}`, options)).data;
const review = (id: string, finding: string, body: object, token = owner.token) =>
  service.call<FindingsPayload>("PUT", `/api/skills/${id}/findings/${finding}`, { token, body });
const edit = async (id: string, base: number, path: string, content: string) => {
  const body = { base, changes: [{ path, content }] };
  const pushed = await service.call("POST", `/api/skills/${id}/versions`, { token: owner.token, body });
  assert.equal(pushed.status, 201, JSON.stringify(pushed.body));
};
const listed = async (id: string, token = owner.token) => {
  const { data } = await service.call<SkillPayload[]>("GET", `/api/skills?tenant_id=${org.id}`, { token });
  return data.find((skill) => skill.id === id)?.findings;
};

describe("findings about a version", () => {
  it("are violations of the rules for skills, with file, line and the kind of a secret", async () => {
    const skill = await publish();

    const { version, counts, findings } = await findingsOf(skill.id);

    assert.equal(version, 1);
    assert.deepEqual(counts, { errors: 1, warnings: 1, toReview: 2 });
    const [leak, link] = findings;
    assert.deepEqual(
      { rule: leak!.rule, severity: leak!.severity, path: leak!.path, line: leak!.line },
      { rule: "secret_text", severity: "error", path: "deploy.sh", line: 2 },
    );
    assert.equal(leak!.message, "It contains a GitHub token.");
    assert.equal(link!.rule, "link_missing");
    assert.match(link!.message, /docs\/gone\.md/);
    assert.deepEqual(link!.firstSeen, { version: 1, semver: "1.0.0" });
    assert.ok(!JSON.stringify(findings).includes(one), "the secret itself is in no response");
  });

  it("keep their ids and the version that had them first, while lines and other files change", async () => {
    const skill = await publish();
    const [leak] = (await findingsOf(skill.id)).findings;
    await edit(skill.id, 1, "docs/guide.md", "# Changed\n");
    await edit(skill.id, 2, "deploy.sh", `#!/bin/sh\n\n\ncurl ${one}\ncurl ${two}\n`);

    const { findings } = await findingsOf(skill.id);

    const leaks = findings.filter(({ rule }) => rule === "secret_text");
    assert.deepEqual(
      leaks.map(({ line, firstSeen }) => [line, firstSeen.semver]),
      [
        [4, "1.0.0"],
        [5, "1.0.2"],
      ],
    );
    assert.equal(leaks[0]!.id, leak!.id);
    assert.notEqual(leaks[1]!.id, leak!.id);
    assert.equal((await findingsOf(skill.id, undefined, "?version=1")).findings.length, 2);
  });

  it("of a text are those of its only file", async () => {
    const made = await service.call<PublishResult>("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.id, name: "Checked text", content: `# Text\n\n${one}\n[x](../y.md)\n` },
    });

    const { findings } = await findingsOf(made.data.skill.id);

    assert.deepEqual(
      findings.map(({ rule, path }) => `${rule} ${path}`),
      ["secret_text SKILL.md", "link_outside SKILL.md"],
    );
  });

  it("are at most a hundred, errors first", async () => {
    const links = Array.from({ length: 300 }, (_, at) => `[x](missing-${at}.md)`).join("\n");
    const skill = await publish({
      "SKILL.md": Buffer.from(`${skillMd("many")}\n${links}\n`),
      ".env": Buffer.from("A=b\n"),
    });

    const { findings } = await findingsOf(skill.id);

    assert.equal(findings.length, limits.findingsPerVersion);
    assert.equal(findings[0]!.rule, "secret_file");
    assert.equal(new Set(findings.map(({ id }) => id)).size, findings.length);
  });

  it("are counted on the skill and its versions, for members only", async () => {
    const skill = await publish(files, { visibility: "public" });
    const counts = { errors: 1, warnings: 1, toReview: 2 };
    const read = async (path: string, options: CallOptions) =>
      (await service.call<SkillPayload & VersionPayload[]>("GET", `/api/skills/${skill.id}${path}`, options))
        .data;

    assert.deepEqual(skill.findings, counts, "in the response to the publish");
    assert.deepEqual(await listed(skill.id), counts);
    assert.deepEqual((await read("", { token: owner.token })).findings, counts);
    assert.deepEqual((await read("/versions", { token: owner.token }))[0]!.findings, counts);
    assert.equal((await read("", {})).findings, undefined);
    assert.equal((await read("/versions", {}))[0]!.findings, undefined);
  });

  it("are found for versions that were stored without them", async () => {
    const skill = await publish();
    await service.settled();
    const raw = service.app.storage.database.raw;
    await raw.collection("versions").updateMany({ skillId: skill.id }, { $unset: { findings: true } });
    await raw
      .collection<{ _id: string }>("skills")
      .updateOne({ _id: skill.id }, { $unset: { "current.findings": true } });

    const { counts, findings } = await findingsOf(skill.id);

    assert.deepEqual(counts, { errors: 1, warnings: 1, toReview: 2 });
    assert.deepEqual(findings[0]!.firstSeen, { version: 1, semver: "1.0.0" });
    assert.equal(await listed(skill.id), undefined);
  });

  it("show no one else where the secrets of a public skill are, nor reviewers and their notes", async () => {
    const skill = await publish(files, { visibility: "public" });
    const [leak, link] = (await findingsOf(skill.id)).findings;
    for (const { id } of [leak!, link!]) await review(skill.id, id, { reviewed: true, note: "internal" });
    const stranger = await service.newUser();

    for (const options of [{}, { token: stranger.token }]) {
      const { counts, findings } = await findingsOf(skill.id, options);

      assert.deepEqual(counts, { errors: 0, warnings: 1, toReview: 0 });
      assert.deepEqual(
        findings.map(({ rule }) => rule),
        ["link_missing"],
      );
      assert.deepEqual(Object.keys(findings[0]!.reviewed!), ["at"]);
    }
  });
});

describe("review of a finding", () => {
  it("is recorded with its member, and removed again", async () => {
    const skill = await publish();
    const [leak] = (await findingsOf(skill.id)).findings;

    const reviewed = await review(skill.id, leak!.id, { reviewed: true, note: "A revoked token" });

    assert.equal(reviewed.status, 200, JSON.stringify(reviewed.body));
    assert.equal(reviewed.data.counts.toReview, 1);
    assert.equal(reviewed.data.findings[0]!.reviewed!.by!.username, owner.username);
    assert.equal(reviewed.data.findings[0]!.reviewed!.note, "A revoked token");
    assert.equal((await listed(skill.id))!.toReview, 1);
    const reopened = await review(skill.id, leak!.id, { reviewed: false });
    assert.equal(reopened.data.counts.toReview, 2);
    await service.settled();
    const events = await service.app.storage.database.raw
      .collection("audit_events")
      .find({ resourceId: skill.id, name: /finding/ })
      .toArray();
    assert.deepEqual(events.map(({ name }) => String(name)).toSorted(), [
      "skill.finding_reopened",
      "skill.finding_reviewed",
    ]);
    assert.ok(!JSON.stringify(events).includes(one));
  });

  it("applies to later versions, but not to another secret in the same place", async () => {
    const skill = await publish();
    const [leak] = (await findingsOf(skill.id)).findings;
    await review(skill.id, leak!.id, { reviewed: true });
    await edit(skill.id, 1, "docs/guide.md", "# Changed\n");
    assert.equal((await findingsOf(skill.id)).counts.toReview, 1);

    await edit(skill.id, 2, "deploy.sh", files["deploy.sh"]!.toString().replace(one, two));

    const { counts, findings } = await findingsOf(skill.id);
    assert.equal(counts.toReview, 2);
    assert.equal(findings[0]!.reviewed, null);
  });

  it("needs skill:update and a finding of the version", async () => {
    const skill = await publish();
    const [leak] = (await findingsOf(skill.id)).findings;
    const viewer = await newMember(service, org, "viewer");
    const stranger = await service.newUser();
    const code = async (id: string, body: object, token?: string) =>
      (await review(skill.id, id, body, token)).code;

    assert.equal(await code(leak!.id, { reviewed: true }, viewer.token), "forbidden");
    assert.equal(await code(leak!.id, { reviewed: true }, stranger.token), "not_found");
    assert.equal(await code("0".repeat(16), { reviewed: true }), "not_found");
    assert.equal(await code("nonsense", { reviewed: true }), "invalid_request");
    assert.equal(await code(leak!.id, {}), "invalid_request");
    assert.equal(
      await code(leak!.id, { reviewed: true, note: "x".repeat(limits.reviewNote + 1) }),
      "invalid_request",
    );
  });
});

describe("POST /api/lint", () => {
  const lint = (body: object, token = owner.token) =>
    service.call<LintPayload>("POST", "/api/lint", { token, body });

  it("reports what a text would have, and stores nothing", async () => {
    const before = await service.app.storage.database.raw.collection("skills").countDocuments();

    const good = await lint({ content: "---\ndescription: Fine.\n---\n\n# Fine\n" });
    const bad = await lint({ content: `---\ntags: 3\n---\n${one}\n` });

    const nothing = { errors: 0, warnings: 0, findings: [], leftOut: [] };
    assert.deepEqual(good.data, { ok: true, format: "markdown", ...nothing });
    assert.equal(bad.data.ok, false);
    assert.deepEqual(bad.data.findings.map(({ rule }) => rule).toSorted(), [
      "description_absent",
      "secret_text",
      "tags_type",
    ]);
    assert.equal(await service.app.storage.database.raw.collection("skills").countDocuments(), before);
  });

  it("checks an upload, which can be published afterwards", async () => {
    const uploadId = await service.upload(owner, makePackage("linted", { ".env": "A=b\n" }));

    const checked = await lint({ uploadId });
    const again = await lint({ uploadId });
    const published = await service.call("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.id, uploadId },
    });

    assert.deepEqual(
      checked.data.findings.map(({ rule, path }) => `${rule} ${path}`),
      ["secret_file .env"],
    );
    assert.deepEqual(again.data, checked.data);
    assert.equal(published.status, 201, JSON.stringify(published.body));
  });

  it("reports a zip that is no package", async () => {
    const nested = await service.upload(
      owner,
      makeZip([
        { name: "folder/SKILL.md", data: skillMd("nested") },
        { name: "a.md", data: "x" },
      ]),
    );

    const { data } = await lint({ uploadId: nested });

    assert.equal(data.ok, false);
    assert.equal(data.findings[0]!.rule, "root_file_missing");
  });

  it("takes the caller's own uploads only", async () => {
    const uploadId = await service.upload(owner, makePackage("mine"));
    const other = await service.newUser();

    assert.equal((await lint({ uploadId }, other.token)).code, "not_found");
    assert.equal((await lint({ uploadId: "nothing" })).code, "not_found");
    assert.equal((await lint({})).code, "invalid_request");
    assert.equal(
      (await service.call("POST", "/api/lint", { body: { content: "x" } })).code,
      "unauthenticated",
    );
  });
});
