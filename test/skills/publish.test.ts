import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readSkillText } from "../../contract/checks/skill-rules.ts";
import { limits } from "../../contract/limits.ts";
import type {
  ContentPayload,
  PublishResult,
  SkillPayload,
  VersionPayload,
} from "../../contract/payloads/skills/skills.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { git } from "../support/native-git.ts";
import { runCount } from "../support/run-count.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { skillTexts } from "../support/skill-texts.ts";

const { service, owner, org } = await setUpOrganization();

const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");
const publish = (body: object, token = owner.token) =>
  service.call<PublishResult>("POST", "/api/skills", { token, body: { tenantId: org.slug, ...body } });
const get = <T>(path: string) => service.call<T>("GET", path, { token: owner.token });

describe("publishing a text skill", () => {
  it("creates the skill, its first version and its content without frontmatter", async () => {
    const content =
      "---\nname: Review helper\ndescription: Reviews changes.\nlicense: MIT\ntags: [Git, review]\n---\n\n# Review\n\nLook twice.\n";

    const made = await publish({ content });

    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.data.action, "created");
    assert.equal(made.data.skill.slug, "review-helper");
    assert.equal(made.data.skill.visibility, "private");
    assert.deepEqual(made.data.skill.tags, ["git", "review"]);
    assert.equal(made.data.version.semver, "1.0.0");
    assert.equal(made.data.version.message, "Initial version");
    const unsettled = await get<ContentPayload>(`/api/skills/${made.data.skill.publicId}/content`);
    await service.settled();
    const read = await get<ContentPayload>(`/api/skills/${org.slug}~review-helper/content`);
    assert.equal(read.data.content, "# Review\n\nLook twice.\n");
    assert.deepEqual(unsettled.data, read.data);
    const file = await service.raw("GET", `/api/skills/${made.data.skill.id}/files/SKILL.md`, {
      token: owner.token,
    });
    assert.equal(
      await file.text(),
      "---\nname: review-helper\ndescription: Reviews changes.\nlicense: MIT\ntags: [Git, review]\n---\n\n# Review\n\nLook twice.\n",
    );
  });

  it("stores and serves frontmatter of every form unchanged", async () => {
    const samples = fc.sample(skillTexts, { numRuns: runCount(12, 300) });
    for (const [index, { text, body, around, hasDescription }] of samples.entries()) {
      const made = await publish({ name: `Form ${index}`, content: text, description: "Given" });

      assert.equal(made.status, 201, JSON.stringify([text, made.body]));
      const { id, slug } = made.data.skill;
      const read = await get<ContentPayload>(`/api/skills/${id}/content`);
      const file = await service.raw("GET", `/api/skills/${id}/files/SKILL.md`, { token: owner.token });
      const stored = Buffer.from(await file.arrayBuffer()).toString("utf8");
      assert.equal(read.data.content, body);
      assert.equal(read.data.frontmatter! + body, stored);
      assert.equal(made.data.version.frontmatterHash, sha256Of(read.data.frontmatter!));
      if (around && hasDescription) {
        assert.ok(stored.startsWith(around.before), stored);
        assert.ok(stored.endsWith(around.after), stored);
      }
      const again = await publish({ name: `Form ${index}`, content: stored, ifChanged: true });
      assert.equal(again.data.unchanged, true, JSON.stringify(text));
      assert.equal(readSkillText(stored, "markdown").defaults.name, slug);
    }
  });

  it("returns a text with its values byte for byte, in clones too", async () => {
    const content =
      "\uFEFF---  \r\n# a comment\r\nversion: 1.10\r\nname: 'byte-for-byte' # own\r\ndescription: >-\r\n  Two\r\n  lines.\r\n\r\nmask: 0x1F\r\n---\r\n\r\n\r\n# Body  \r\nno end";
    const made = await publish({ name: "Byte for byte", content });
    await service.settled();

    const repo = await service.app.repos.materialize({ tenantId: org.id, skillId: made.data.skill.id });

    assert.equal(made.data.skill.slug, "byte-for-byte");
    assert.equal(made.data.skill.description, "Two lines.");
    assert.equal(git(repo, "show", "main:SKILL.md"), content);
  });

  it("reads texts that an earlier version of the service stored", async () => {
    const made = await publish({ name: "Stored before", content: "\n\n# Old\n" });
    await service.settled();
    const { raw } = service.app.storage.database;
    const id = made.data.skill.id;
    await raw.collection("versions").updateMany({ skillId: id }, { $unset: { frontmatter: true } });
    await service.app.storage.database
      .collection<SkillDoc>("skills")
      .updateOne({ _id: id }, { $unset: { "current.frontmatter": true } });

    const read = await get<ContentPayload>(`/api/skills/${id}/content`);
    const same = await publish({ name: "Stored before", content: "\n\n# Old\n", ifChanged: true });
    const next = await publish({ name: "Stored before", content: "---\na: 1.0\n---\n# New\n" });

    assert.equal(read.data.content, "\n\n# Old\n");
    assert.deepEqual([same.data.unchanged, next.data.version.version], [true, 2]);
  });

  it("rejects frontmatter that is too large together with the service's additions", async () => {
    const content = `---\na: ${"x".repeat(8 * 1024 - 10)}\n---\ntext\n`;

    const refused = await publish({ name: "Full block", content });

    assert.deepEqual([refused.code, /over 8 KB/.test(refused.error!)], ["content_invalid", true]);
  });

  it("appends by name, also unchanged bytes, with a warning and the same tree", async () => {
    await publish({ name: "Twice", content: "first\n" });

    const second = await publish({ name: "twice", content: "second\n" });
    const third = await publish({ name: "Twice", content: "second\n" });

    assert.equal(second.data.action, "updated");
    assert.deepEqual([second.data.version.semver, second.data.warnings], ["1.0.1", []]);
    assert.deepEqual([third.data.unchanged, third.data.version.semver], [false, "1.0.2"]);
    assert.match(third.data.warnings.join(), /equals that of version 1\.0\.1: only the number changed/);
    assert.notEqual(third.data.version.commit, second.data.version.commit);
    const repo = { tenantId: org.id, skillId: third.data.skill.id };
    const [earlier, later] = await Promise.all(
      [second, third].map(({ data }) => service.app.repos.readCommit(repo, data.version.commit)),
    );
    assert.equal(later!.treeOid, earlier!.treeOid);
    assert.deepEqual(later!.parents, [earlier!.oid]);
    await service.settled();
    const versions = await get<VersionPayload[]>(`/api/skills/${third.data.skill.id}/versions`);
    assert.deepEqual(
      versions.data.map((v) => [v.version, v.semver, v.current]),
      [
        [3, "1.0.2", true],
        [2, "1.0.1", false],
        [1, "1.0.0", false],
      ],
    );
  });

  it("creates nothing with ifChanged if nothing changed", async () => {
    const first = await publish({ name: "If changed", content: "first\n", ifChanged: true });

    const same = await publish({ name: "If changed", content: "first\n", ifChanged: true });
    const head = await publish({ name: "If changed", content: "---\na: 1\n---\nfirst\n", ifChanged: true });

    assert.deepEqual([first.data.unchanged, same.data.unchanged, head.data.unchanged], [false, true, false]);
    assert.deepEqual(same.data.version, first.data.version);
    assert.deepEqual(
      [same.data.action, same.data.skill.currentSemver, head.data.version.semver],
      ["updated", "1.0.0", "1.0.1"],
    );
    assert.match(same.data.warnings.join(), /equals that of version 1\.0\.0: no new version was created/);
  });

  it("prefers fields of the request to those of the frontmatter", async () => {
    const content = "---\nname: inner\ndescription: inner\ntags: a\n---\nbody\n";

    const made = await publish({ content, name: " Outer ", description: "outer", tags: ["B", "b", "c"] });

    const { name, description, tags } = made.data.skill;
    assert.deepEqual({ name, description, tags }, { name: "Outer", description: "outer", tags: ["b", "c"] });
  });

  it("refuses names and tags that are shown in another order than they are written", async () => {
    for (const body of [
      { name: "safe\u202Etxt.exe", content: "x\n" },
      { name: "safe\u2066name", content: "x\n" },
      { name: "tagged", tags: ["a\u202Eb"], content: "x\n" },
      { content: '---\nname: "safe\\u202Etxt"\ndescription: d\n---\nx\n' },
    ]) {
      const { status, error } = await publish(body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(error!, /without control characters/);
    }
    assert.equal((await publish({ name: "שלום \u200Fعالم 👩\u200D💻", content: "x\n" })).status, 201);
  });

  it("stores rules as RULE.md, also when a later publish omits the type", async () => {
    const first = await publish({ name: "House rule", type: "rule", content: "Be kind.\n" });
    const second = await publish({ name: "House rule", content: "Be kinder.\n" });
    const pushed = await service.call<VersionPayload>("POST", `/api/skills/${first.data.skill.id}/versions`, {
      token: owner.token,
      body: { content: "Be kindest.\n" },
    });

    assert.equal(first.data.skill.type, "rule");
    assert.equal(second.status, 201);
    assert.equal(pushed.data.version, 3);
    for (const [version, content] of [
      [1, "Be kind.\n"],
      [2, "Be kinder.\n"],
      [3, "Be kindest.\n"],
    ] as const) {
      const read = await get<ContentPayload>(`/api/skills/${first.data.skill.id}/content?version=${version}`);
      assert.equal(read.data.content, content);
      const file = await service.raw(
        "GET",
        `/api/skills/${first.data.skill.id}/files/RULE.md?version=${version}`,
        { token: owner.token },
      );
      assert.equal(file.status, 200);
    }
    assert.equal((await publish({ name: "House rule", type: "skill", content: "x\n" })).code, "refused");
  });

  it("lists the fields that an append ignored", async () => {
    await publish({ name: "Flags", content: "1\n", visibility: "public" });

    const second = await publish({ name: "Flags", content: "2\n", visibility: "private", folder: "/" });

    assert.deepEqual(second.data.ignoredFlags, ["visibility"]);
    assert.equal(second.data.skill.visibility, "public");
  });

  it("returns not_found for unknown folders, refuses personal workspaces, and stores nothing", async () => {
    const inFolder = await publish({ name: "Folded", content: "1\n", folder: "ops/tools" });
    const personal = await publish({ name: "Folded", content: "1\n", personal: true });

    assert.deepEqual([inFolder.code, inFolder.details?.["kind"]], ["not_found", "folder"]);
    assert.equal(personal.code, "refused");
    assert.equal((await get<SkillPayload[]>(`/api/skills?query=folded`)).data.length, 0);
  });

  it("accepts a text of 512 KB and rejects one byte more", async () => {
    const body = "a".repeat(limits.textContentBytes);

    const made = await publish({ name: "Large", content: body });
    const over = await publish({ name: "Large", content: `${body}a` });

    assert.equal(made.status, 201);
    const read = await get<ContentPayload>(`/api/skills/${made.data.skill.id}/content`);
    assert.equal(read.data.content === body, true);
    assert.equal(over.code, "payload_too_large");
  });
});

describe("publishing modes", () => {
  it("create makes a skill, and names the existing one if the name is taken", async () => {
    const made = await publish({ mode: "create", name: "Made once", content: "1\n" });
    const again = await publish({ mode: "create", name: "made ONCE", content: "2\n" });

    assert.equal(made.data.action, "created");
    assert.equal(again.code, "already_exists");
    const { publicId, slug } = made.data.skill;
    assert.deepEqual(again.details!["existing"], {
      publicId,
      slug,
      ref: `${org.slug}/${slug}`,
      folderId: null,
      path: "/",
    });
  });

  it("create never renames: it rejects a slug that another name has", async () => {
    const first = await publish({ mode: "create", name: "Slug: taken", content: "1\n" });
    const second = await publish({ mode: "create", name: "Slug taken", content: "2\n" });

    assert.equal(second.code, "already_exists");
    assert.equal((second.details!["existing"] as SkillPayload).publicId, first.data.skill.publicId);
  });

  it("update appends, and reports when the skill does not exist", async () => {
    const missing = await publish({ mode: "update", name: "Not there", content: "1\n" });
    await publish({ name: "There", content: "1\n" });
    const updated = await publish({ mode: "update", name: "There", content: "2\n" });

    assert.deepEqual([missing.code, missing.details?.["kind"]], ["not_found", "skill"]);
    assert.deepEqual([updated.data.action, updated.data.version.version], ["updated", 2]);
  });

  it("upsert and update reject a name that several skills have, and list them", async () => {
    const first = await publish({ name: "Name A", content: "1\n" });
    const second = await publish({ name: "Name B", content: "1\n" });
    await service.call("PUT", `/api/skills/${second.data.skill.id}`, {
      token: owner.token,
      body: { name: "Name A" },
    });

    for (const mode of ["upsert", "update"]) {
      const answer = await publish({ mode, name: "name a", content: "2\n" });
      assert.equal(answer.code, "ambiguous");
      const candidates = answer.details?.["candidates"] as { publicId: string }[];
      assert.deepEqual(
        candidates.map((c) => c.publicId).sort(),
        [first.data.skill.publicId, second.data.skill.publicId].sort(),
      );
    }
  });

  it("upsert changes the slug if another name has it, and reports that", async () => {
    await publish({ name: "Deploy.it", content: "1\n" });

    const renamed = await publish({ name: "Deploy it", content: "1\n" });
    const next = await publish({ name: "Deploy, it", content: "1\n" });

    assert.equal(renamed.data.skill.slug, "deploy-it-2");
    assert.match(renamed.data.warnings.join(), /"deploy-it" is taken.*"deploy-it-2"/);
    assert.equal(next.data.skill.slug, "deploy-it-3");
  });

  it("upsert shortens long slugs to append a number", async () => {
    const slugs: string[] = [];
    for (const mark of [".", ",", ";", "!"]) {
      const made = await publish({ name: `${"long".repeat(20)}${mark}`, content: "1\n" });
      slugs.push(made.data.skill.slug);
    }

    assert.deepEqual(
      slugs.map((slug) => [slug.length, slug.slice(-2)]),
      [
        [64, "ng"],
        [64, "-2"],
        [64, "-3"],
        [64, "-4"],
      ],
    );
  });

  it("derives slugs from names without Latin letters and from device names", async () => {
    const kanji = await publish({ name: "設計", content: "1\n" });
    const device = await publish({ name: "Con", content: "1\n" });

    assert.match(kanji.data.skill.slug, /^skill-[0-9a-f]{8}$/);
    assert.equal(device.data.skill.slug, "con-skill");
  });

  it("creates exactly one skill in many concurrent upserts of a new name", async () => {
    await publish({ name: "Race.d", content: "holds the slug\n" });

    for (const name of ["Brand new", "Race d"]) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => publish({ name, content: `text ${i}\n` })),
      );

      assert.deepEqual([...new Set(answers.map((a) => a.status))], [201], JSON.stringify(answers[0]!.body));
      assert.equal(new Set(answers.map((a) => a.data.skill.id)).size, 1);
      assert.equal(answers.filter((a) => a.data.action === "created").length, 1);
      const versions = answers.map((a) => a.data.version.version).sort((a, b) => a - b);
      assert.deepEqual(
        versions,
        Array.from({ length: 12 }, (_, i) => i + 1),
      );
    }
  });

  it("lets exactly one of many concurrent creates of a name succeed", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => publish({ mode: "create", name: "Only one", content: `${i}\n` })),
    );

    assert.equal(answers.filter((a) => a.status === 201).length, 1);
    assert.equal(answers.filter((a) => a.code === "already_exists").length, 7);
  });
});
