import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  ContentPayload,
  ManifestPayload,
  PublishResult,
  SkillDetailPayload,
  VersionResult,
} from "../../contract/payloads/skills/skills.ts";
import { publishPackage } from "../support/package-files.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";
import { skillMd } from "../support/zip.ts";

let made = 0;

const { service, owner, org } = await setUpOrganization();

const newText = () => newVersionedSkill({ service, user: owner, org, name: `edited ${++made}` });
const newPackage = (files: Record<string, Buffer>) => publishPackage(service, owner, org, {}, files);
const push = (id: string, body: object, headers: Record<string, string> = {}) =>
  service.call<VersionResult>("POST", `/api/skills/${id}/versions`, { token: owner.token, body, headers });
const get = async <T>(path: string) => (await service.call<T>("GET", path, { token: owner.token })).data;
const manifestOf = async (id: string, version: number) =>
  (await get<ManifestPayload>(`/api/skills/${id}/manifest?version=${version}`)).files;
const textOf = async (id: string, path: string, version: number) => {
  const response = await service.raw("GET", `/api/skills/${id}/files/${path}?version=${version}`, {
    token: owner.token,
  });
  return response.text();
};

const files: Record<string, Buffer> = {
  "SKILL.md": Buffer.from(skillMd("edits")),
  "docs/a.md": Buffer.from("# A\n"),
  "docs/b.md": Buffer.from("# B\n"),
  run: Buffer.from("#!/bin/sh\n"),
};

describe("base of a version", () => {
  it("is accepted while it is current", async () => {
    const skill = await newText();

    const edited = await push(skill.id, { base: 1, content: "edited\n" });

    assert.equal(edited.status, 201, JSON.stringify(edited.body));
    assert.equal(edited.data.version, 2);
  });

  it("is refused once another version is current, which the error names", async () => {
    const skill = await newText();
    await skill.push();

    const late = await push(skill.id, { base: 1, content: "late\n" });

    assert.equal(late.status, 409);
    assert.equal(late.code, "conflict");
    assert.deepEqual(late.details?.["base"], { version: 1, semver: "1.0.0" });
    assert.deepEqual(late.details?.["current"], { version: 2, semver: "1.0.1" });
    assert.deepEqual(await skill.list(), ["1.0.1", "1.0.0"]);
  });

  it("is refused after a revert, although no version was published", async () => {
    const skill = await newText();
    await skill.push();
    await skill.revert(1);

    const late = await push(skill.id, { base: 2, content: "late\n" });

    assert.equal(late.code, "conflict");
    assert.deepEqual(late.details?.["current"], { version: 1, semver: "1.0.0" });
    assert.equal((await push(skill.id, { base: 1, content: "in time\n" })).status, 201);
  });

  it("lets one of several simultaneous edits succeed", async () => {
    const skill = await newText();

    const edits = await Promise.all(
      Array.from({ length: 6 }, (_, at) => push(skill.id, { base: 1, content: `edit ${at}\n` })),
    );

    assert.equal(edits.filter(({ status }) => status === 201).length, 1);
    assert.equal(edits.filter(({ code }) => code === "conflict").length, 5);
    assert.deepEqual(await skill.list(), ["1.0.1", "1.0.0"]);
  });

  it("does not let an edit replace the version that a simultaneous revert made current", async () => {
    for (let round = 0; round < 4; round++) {
      const skill = await newText();
      await skill.push();
      await service.settled();

      const [edit, revert] = await Promise.all([
        push(skill.id, { base: 2, content: "edit\n" }),
        skill.revert(1),
      ]);

      // Whichever comes first decides: an edit before the revert is a version, and after it a conflict.
      const { semver } = await skill.current();
      if (edit.status === 409) assert.equal(semver, "1.0.0");
      else assert.equal(edit.status, 201, JSON.stringify([edit.body, revert.body]));
    }
  });

  it("may be the prerelease that the new one continues", async () => {
    const skill = await newText();
    await skill.push({ prerelease: "rc" });

    const stale = await push(skill.id, { base: 1, content: "from 1.0.0\n", prerelease: "rc" });
    const next = await push(skill.id, { base: 2, content: "from rc.0\n", prerelease: "rc" });
    const release = await push(skill.id, { base: 3, content: "from rc.1\n" });

    assert.deepEqual(stale.details?.["current"], { version: 2, semver: "1.0.1-rc.0" });
    assert.equal(next.data.semver, "1.0.1-rc.1");
    assert.equal(release.data.semver, "1.0.1");
    assert.equal((await push(skill.id, { base: 3, content: "again\n" })).code, "conflict");
  });

  it("is checked by a plan too, and must exist", async () => {
    const skill = await newText();
    await skill.push();
    const plan = (base: number) =>
      service.call("POST", `/api/skills/${skill.id}/versions/plan`, {
        token: owner.token,
        body: { base, format: "markdown", hash: "0".repeat(64) },
      });

    assert.equal((await plan(1)).code, "conflict");
    assert.equal((await plan(2)).status, 200);
    assert.equal((await plan(9)).code, "not_found");
    assert.equal((await push(skill.id, { base: 9, content: "x\n" })).code, "not_found");
  });

  it("does not make a repeated call fail", async () => {
    const skill = await newText();
    const key = { "idempotency-key": "edit-once-and-again" };
    const body = { base: 1, content: "edit\n" };

    const first = await push(skill.id, body, key);
    const second = await push(skill.id, body, key);

    assert.equal(first.status, 201);
    assert.equal(second.status, 201);
    assert.equal(second.data.id, first.data.id);
  });
});

describe("changes of single files", () => {
  it("replace, add, remove and mark files; all others keep their bytes and modes", async () => {
    const { skill } = await newPackage(files);
    const bytes = Buffer.from([0, 1, 254, 255]);

    const edited = await push(skill.id, {
      base: 1,
      changes: [
        { path: "docs/a.md", content: "# Changed\n" },
        { path: "docs/b.md", delete: true },
        { path: "data/new.bin", contentBase64: bytes.toString("base64"), mode: "100755" },
        { path: "run", content: "#!/bin/sh\necho\n" },
        { path: "SKILL.md", mode: "100755" },
      ],
    });

    assert.equal(edited.status, 201, JSON.stringify(edited.body));
    const [old, fresh] = [await manifestOf(skill.id, 1), await manifestOf(skill.id, 2)];
    assert.deepEqual(
      fresh.map(({ path, mode }) => `${mode} ${path}`),
      ["100755 SKILL.md", "100755 data/new.bin", "100644 docs/a.md", "100755 run"],
    );
    assert.equal(fresh[0]!.sha256, old.find(({ path }) => path === "SKILL.md")!.sha256);
    assert.equal(await textOf(skill.id, "docs/a.md", 2), "# Changed\n");
    const oids = async (version: number) => {
      const response = await service.raw(
        "HEAD",
        `/api/skills/${skill.id}/files/SKILL.md?version=${version}`,
        { token: owner.token },
      );
      return response.headers.get("etag");
    };
    assert.equal(await oids(2), await oids(1), "the same blob");
    const zip = await service.raw("GET", `/api/skills/${skill.id}/package?version=2`, { token: owner.token });
    assert.equal(zip.status, 200, "the digest of the new tree is the one of its bytes");
    await zip.arrayBuffer();
  });

  it("give the version the same digest as an upload of the same files", async () => {
    const changed = { ...files, "docs/a.md": Buffer.from("# Changed\n") };
    const [edited, uploaded] = [await newPackage(files), await newPackage(changed)];

    const result = await push(edited.skill.id, {
      base: 1,
      changes: [{ path: "docs/a.md", content: "# Changed\n" }],
    });

    assert.equal(result.data.hash, uploaded.version.hash);
    assert.equal(result.data.fileCount, 4);
  });

  it("may change nothing, which a version notes and ifChanged skips", async () => {
    const { skill } = await newPackage(files);
    const changes = [{ path: "docs/a.md", content: "# A\n" }];

    const skipped = await push(skill.id, { base: 1, changes, ifChanged: true });
    const same = await push(skill.id, { base: 1, changes });

    assert.equal(skipped.data.unchanged, true);
    assert.equal(same.data.version, 2);
    assert.match(same.data.warnings.join(), /only the number changed/);
  });

  it("leave a description that was set in the service, unless they change it in the frontmatter", async () => {
    const { skill } = await newPackage(files);
    await service.call("PUT", `/api/skills/${skill.id}`, {
      token: owner.token,
      body: { description: "Set here" },
    });
    const description = async () => (await get<SkillDetailPayload>(`/api/skills/${skill.id}`)).description;

    await push(skill.id, { base: 1, changes: [{ path: "docs/a.md", content: "# 2\n" }] });
    assert.equal(await description(), "Set here");

    const root = "---\nname: edits\ndescription: From the file\n---\n# Text\n";
    await push(skill.id, { base: 2, changes: [{ path: "SKILL.md", content: root }] });
    assert.equal(await description(), "From the file");
  });

  it("keep to the rules of packages", async () => {
    const { skill } = await newPackage(files);
    const refusal = async (changes: object[]) => {
      const answer = await push(skill.id, { base: 1, changes });
      return `${answer.code} ${String(answer.details?.["rule"] ?? answer.details?.["ref"])}`;
    };
    const content = "x\n";

    assert.equal(await refusal([{ path: "../x", content }]), "package_invalid path_dot");
    assert.equal(await refusal([{ path: ".git/config", content }]), "package_invalid path_git");
    assert.equal(await refusal([{ path: ".svc.json", content }]), "package_invalid path_reserved");
    assert.equal(await refusal([{ path: "DOCS/a.md", content }]), "package_invalid duplicate_case");
    assert.equal(await refusal([{ path: "docs", content }]), "package_invalid file_and_folder");
    assert.equal(await refusal([{ path: "run/x", content }]), "package_invalid file_and_folder");
    assert.equal(await refusal([{ path: "SKILL.md", delete: true }]), "package_invalid root_file_missing");
    assert.equal(
      await refusal([{ path: "SKILL.md", content: "---\nname: [a\n" }]),
      "content_invalid SKILL.md",
    );
    assert.equal(await refusal([{ path: "missing.md", delete: true }]), "content_invalid missing.md");
    assert.equal(await refusal([{ path: "missing.md", mode: "100755" }]), "content_invalid missing.md");
    const many = Array.from({ length: 498 }, (_, at) => ({ path: `many/${at}`, content }));
    assert.equal(await refusal(many), "package_invalid too_many_files");
    assert.equal((await get<PublishResult["skill"]>(`/api/skills/${skill.id}`)).currentVersion, 1);
  });

  it("are refused where the request is ambiguous", async () => {
    const { skill } = await newPackage(files);
    const change = { path: "a", content: "x" };
    const bodies: object[] = [
      { changes: [change] },
      { base: 1, changes: [] },
      { base: 1, changes: [change], content: "x\n" },
      { base: 1, changes: [change, change] },
      { base: 1, changes: [{ path: "a" }] },
      { base: 1, changes: [{ ...change, delete: true }] },
      { base: 1, changes: [{ ...change, contentBase64: "eA==" }] },
      { base: 1, changes: [{ path: "a", contentBase64: "%" }] },
      { base: 1, changes: [{ path: "a", content: "\ud800" }] },
      { base: 1, changes: [{ path: "a", content: "x", mode: "120000" }] },
    ];
    for (const body of bodies) {
      const { status, code } = await push(skill.id, body);
      assert.equal(`${status} ${code}`, "400 invalid_request", JSON.stringify(body));
    }
  });

  it("of a text are those of its only file", async () => {
    const skill = await newText();
    const read = () => get<ContentPayload>(`/api/skills/${skill.id}/content`);
    const { frontmatter = "", content } = await read();

    const edited = await push(skill.id, {
      base: 1,
      changes: [{ path: "SKILL.md", content: `${frontmatter}${content}more\n` }],
    });
    const refused = await Promise.all(
      [
        [{ path: "other.md", content: "x\n" }],
        [{ path: "SKILL.md", delete: true }],
        [{ path: "SKILL.md", content: "x\n", mode: "100755" }],
        [
          { path: "SKILL.md", content: "x\n" },
          { path: "other.md", content: "x\n" },
        ],
      ].map((changes) => push(skill.id, { base: 2, changes })),
    );

    assert.equal(edited.status, 201, JSON.stringify(edited.body));
    assert.equal((await read()).content, "text 1\nmore\n");
    assert.equal((await read()).frontmatter, frontmatter);
    assert.deepEqual(
      refused.map(({ code }) => code),
      Array(4).fill("content_invalid"),
    );
  });
});
