import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { Mirror } from "../../repos/mirror/types.ts";
import { readPackageSource } from "../../src/skills/publish/content/package-source.ts";
import { computeHere } from "../support/compute/compute-here.ts";
import { runGit, type HostedRepo } from "../support/host/git-host.ts";
import { feedGit, gitBytes } from "../support/native-git.ts";
import { closedAfter } from "../support/set-up.ts";
import { commitInfo, file, openMirrorBench, pushEdits, put, remove, text } from "./fixtures.ts";

let repository: HostedRepo;
let mirror: Mirror;

const bench = await closedAfter(openMirrorBench());

/** Writes an object without validation. */
function raw(type: string, data: Buffer | string): string {
  return feedGit(repository.directory, data, "hash-object", "-t", type, "-w", "--literally", "--stdin")
    .toString()
    .trim();
}

type Row = [mode: string, name: string | Buffer, oid: string];

function tree(...rows: Row[]): string {
  return raw(
    "tree",
    Buffer.concat(
      rows.map(([mode, name, oid]) =>
        Buffer.concat([
          Buffer.from(`${mode} `),
          Buffer.from(name),
          Buffer.from([0]),
          Buffer.from(oid, "hex"),
        ]),
      ),
    ),
  );
}

const blob = (words: string) => raw("blob", words);

/** Makes a root tree the branch's tip and fetches it. */
async function fetchTree(root: string, header = ""): Promise<string> {
  const who = "<<odd>> name@x> 99999999999999 +9999";
  const plain = "A <a@x> 1700000000 +0000";
  const commit = raw(
    "commit",
    `tree ${root}\nauthor ${header === "" ? plain : who}\ncommitter ${plain}\n${header}\nodd\n`,
  );
  runGit(repository.directory, "update-ref", "refs/heads/main", commit);
  const result = await mirror.fetch(repository.remote, "main");
  assert.equal(result.status, "fetched");
  return commit;
}

async function newRepository(): Promise<void> {
  repository = await bench.host.newRepository();
  mirror = bench.newMirror();
}

describe("an unusual repository", () => {
  it("keeps every entry of its root, byte for byte, while skills are written below it", async () => {
    await newRepository();
    const words = blob("words");
    const inner = tree(["100644", ".git:x", words], ["100664", "old", words], ["100644", "git~1", words]);
    const root = tree(
      ["100644", Buffer.from([0x61, 0xff]), words],
      ["100644", "a\\b", words],
      ["040000", "padded", inner],
      ["100664", "s", words],
      ["160000", "skills.module", "1".repeat(40)],
      ["120000", "skillsz", words],
      ["40000", "zz", inner],
    );
    const tip = await fetchTree(root, "gpgsig -----BEGIN\n tree 0\n parent x\n");

    const { commit } = await pushEdits(mirror, repository, tip, [text("skills/one")]);

    const read = (oid: string) => gitBytes(repository.directory, "cat-file", "tree", `${oid}^{tree}`);
    const [was, now] = [read(tip), read(commit)];
    const at = now.indexOf(Buffer.from("40000 skills\0"));
    assert.ok(at > 0);
    const end = at + "40000 skills\0".length + 20;
    assert.deepEqual(Buffer.concat([now.subarray(0, at), now.subarray(end)]), was);
    // Git sorts a folder as "skills/": after ".module", before "skillsz".
    assert.equal(now.toString("latin1", end, end + 14), "120000 skillsz");
    assert.deepEqual(
      (await mirror.scan(commit)).directories.map((one) => one.path),
      ["skills/one"],
    );
    const change = (await mirror.lastChanges(tip, ["zz"])).get("zz");
    assert.equal(change?.subject, "odd");
  });

  it("is scanned except for what is not a skill, which is reported", async () => {
    await newRepository();
    const words = blob("# A skill");
    const skill = tree(["100664", "SKILL.md", words]);
    const linked = tree(["120000", "SKILL.md", words]);
    const root = tree([
      "40000",
      "skills",
      tree(
        ["100644", "SKILL.md", words],
        ["120000", "link", words],
        ["40000", "linked", linked],
        ["160000", "module", "2".repeat(40)],
        ["40000", Buffer.from([0xc3, 0x28]), skill],
        ["40000", "fine", skill],
        ["40000", "a\\b", skill],
      ),
    ]);

    const scan = await mirror.scan(await fetchTree(root));

    assert.deepEqual(scan.directories.map((one) => one.path).toSorted(), ["skills/fine"]);
    assert.deepEqual(scan.problems.map(({ why }) => why).toSorted(), [
      "name_not_text",
      "path_backslash",
      "root_file_is_no_file",
      "root_file_misplaced",
      "submodule",
      "symlink",
    ]);
  });

  it("has names of the wrong case reported, and root files that are directly in skills/", async () => {
    await newRepository();
    const words = blob("# A skill");
    const lower = tree(["100644", "skill.md", words]);
    const root = tree(
      ["40000", "Skills", tree(["40000", "unseen", lower])],
      [
        "40000",
        "skills",
        tree(
          ["100644", "RULE.md", words],
          ["100644", "Skill.md", words],
          ["40000", "both", tree(["100644", "SKILL.md", words], ["100644", "notes.md", words])],
          ["40000", "known", tree(["100644", ".svc.json", blob("{}")], ["100644", "skill.md", words])],
          ["40000", "lower", lower],
          ["40000", "ops", tree(["40000", "rule", tree(["100644", "Rule.md", words])])],
        ),
      ],
    );

    const scan = await mirror.scan(await fetchTree(root), { known: ["skills/known"] });

    assert.deepEqual(scan.directories.map((one) => one.path).toSorted(), ["skills/both"]);
    assert.deepEqual(scan.problems.map(({ path: at, why }) => `${at} ${why}`).toSorted(), [
      "Skills wrong_case",
      "skills/RULE.md root_file_misplaced",
      "skills/Skill.md root_file_misplaced",
      "skills/known root_file_missing",
      "skills/lower/skill.md wrong_case",
      "skills/ops/rule/Rule.md wrong_case",
    ]);
    assert.deepEqual([...scan.unreadable.keys()], ["skills/known"]);
    const only = await mirror.scan(await fetchTree(tree(["40000", "SKILLS", tree(["40000", "a", lower])])));
    assert.deepEqual([only.skills, only.problems.map(({ path: at }) => at)], ["absent", ["SKILLS"]]);
  });

  it("has files of a skill rejected one by one, not the scan", async () => {
    await newRepository();
    const words = blob("# A skill");
    const pointer = blob(
      `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 123456\n`,
    );
    const skill = tree(
      ["100644", ".gitmodules", words],
      ["100644", ".svc.json", blob("{}")],
      ["100664", "SKILL.md", words],
      ["100644", "a\\b", words],
      ["40000", "deep", tree(["100644", "git~1", words], ["100755", "ok.sh", words])],
      ["100644", "large.psd", pointer],
      ["120000", "link", words],
      ["160000", "module", "3".repeat(40)],
      ["100600", "secret.txt", words],
    );
    const root = tree(["40000", "skills", tree(["40000", "odd", skill])]);
    const [found] = (await mirror.scan(await fetchTree(root))).directories;
    assert.ok(found);

    const listing = await mirror.list(found);

    assert.deepEqual(
      listing.refused.map(({ path: name, why }) => [name, why]),
      [
        [".gitmodules", "submodule"],
        ["a\\b", "path_backslash"],
        ["link", "symlink"],
        ["module", "submodule"],
        ["deep/git~1", "path_git"],
        ["large.psd", "lfs_pointer"],
      ],
    );
    assert.deepEqual(
      listing.files.map(({ path: name, mode }) => [name, mode]),
      [
        ["SKILL.md", "100644"],
        ["deep/ok.sh", "100755"],
        ["large.psd", "100644"],
        ["secret.txt", "100644"],
      ],
    );
  });

  it("is read as a package like an upload, with given bytes replaced", async () => {
    await newRepository();
    const large = "0123456789".repeat(300_000);
    repository.commit({
      "skills/tool/SKILL.md": "---\nname: tool\ndescription: Does it\n---\n\nheader\n",
      "skills/tool/data/large.txt": large,
      "skills/tool/.svc.json": "{}",
      "skills/rule/RULE.md": "# Rule\n",
      "skills/rule/more.txt": "x",
    });
    const tip = repository.head() ?? "";
    await mirror.fetch(repository.remote, "main");
    const scan = await mirror.scan(tip);
    const tool = scan.directories.find((one) => one.path === "skills/tool");
    const rule = scan.directories.find((one) => one.path === "skills/rule");
    assert.ok(tool && rule);
    const { files, refused } = await mirror.list(tool);
    assert.deepEqual(refused, []);
    const root = files.find((one) => one.path === "SKILL.md");
    assert.equal(
      (await mirror.read(root?.oid ?? "")).toString(),
      "---\nname: tool\ndescription: Does it\n---\n\nheader\n",
    );
    const zip = path.join(bench.folder, "tool.zip");
    const other = Buffer.from("---\nname: tool\ndescription: Other\n---\n\nbody\n");

    await mirror.writeZip(files, zip, new Map([["SKILL.md", other]]));

    const source = await readPackageSource(computeHere, zip);
    assert.equal(source.defaults.description, "Other");
    assert.equal(readFileSync(zip).toString("latin1", 0, 2), "PK");
    assert.deepEqual(
      (await mirror.list(rule)).refused.map(({ why }) => why),
      ["rule_with_files"],
    );
    await assert.rejects(mirror.writeZip(files, zip), { code: "storage_unavailable" });
  });

  it("is not walked when a few trees name billions of paths", async () => {
    await newRepository();
    let inner = tree(["100644", "x", blob("x")]);
    for (let depth = 0; depth < 12; depth++)
      inner = tree(...Array.from({ length: 12 }, (_, i): Row => ["40000", `d${10 + i}`, inner]));
    const skill = tree(["100644", "SKILL.md", blob("# Bomb")], ["40000", "zzz", inner]);
    const tip = await fetchTree(tree(["40000", "skills", tree(["40000", "bomb", skill])]));
    const [found] = (await mirror.scan(tip)).directories;
    assert.ok(found);
    assert.equal((await mirror.list(found)).refused[0]?.why, "too_many_files");

    const wide = await fetchTree(tree(["40000", "skills", inner]));
    await assert.rejects(mirror.scan(wide), { code: "remote_too_large" });
  });

  for (const [what, rows] of [
    ["a file", (): Row => ["100644", "skills", blob("no folder")]],
    ["a link", (): Row => ["120000", "skills", blob("elsewhere")]],
    ["a submodule", (): Row => ["160000", "skills", "4".repeat(40)]],
  ] as const)
    it(`with ${what} called skills is neither read nor written`, async () => {
      await newRepository();
      const tip = await fetchTree(tree(rows()));

      assert.equal((await mirror.scan(tip)).skills, "blocked");
      const { prepared, refused } = await mirror.build(
        tip,
        [text("skills/a"), { kind: "index", data: Buffer.from("x") }],
        commitInfo,
      );
      assert.equal(prepared, undefined);
      assert.deepEqual(refused, [
        { path: "skills/a", why: "skills_blocked", blockedBy: "skills" },
        { path: "skills/README.md", why: "skills_blocked", blockedBy: "skills" },
      ]);
    });

  it("has skills skipped if something blocks their path, and the others pushed", async () => {
    await newRepository();
    repository.commit({
      "skills/taken/notes.txt": "mine",
      "skills/file": "a file",
      "skills/skill/SKILL.md": "# Not to be nested in\n",
      "skills/left/.svc.json": "{}",
      "skills/left/rest.txt": "what was left of a skill",
      "skills/README.md/oops": "a folder",
    });
    const tip = repository.head() ?? "";
    await mirror.fetch(repository.remote, "main");

    const { prepared, refused } = await mirror.build(
      tip,
      [
        text("skills/taken"),
        text("skills/file"),
        text("skills/file/below"),
        text("skills/skill/below"),
        text("skills/left"),
        text("skills/fine"),
        remove("skills/nothing/there"),
        remove("skills/taken"),
        { kind: "index", data: Buffer.from("index") },
      ],
      commitInfo,
    );

    assert.deepEqual(refused, [
      { path: "skills/taken", why: "occupied", blockedBy: "skills/taken" },
      { path: "skills/taken", why: "occupied", blockedBy: "skills/taken" },
      { path: "skills/file", why: "path_blocked", blockedBy: "skills/file" },
      { path: "skills/file/below", why: "path_blocked", blockedBy: "skills/file" },
      { path: "skills/skill/below", why: "inside_skill", blockedBy: "skills/skill" },
      { path: "skills/left", why: "not_imported", blockedBy: "skills/left" },
      { path: "skills/README.md", why: "path_blocked", blockedBy: "skills/README.md" },
    ]);
    assert.ok(prepared);
    assert.equal((await mirror.push(repository.remote, "main", prepared)).status, "pushed");
    assert.equal(repository.show("skills/taken/notes.txt"), "mine");
    assert.ok(repository.paths().includes("skills/fine/SKILL.md"));
    assert.ok(repository.paths().includes("skills/left/rest.txt"), "nothing is lost that is in no version");
  });
});

describe("an edit", () => {
  it("is rejected outside skills/ and with an invalid path", async () => {
    await newRepository();
    for (const at of [
      "x",
      "skills",
      "skills/",
      "skills/../x",
      "skills//a",
      "/skills/a",
      "skills/a/.git",
      "skills/README.md",
      "skills/a/.svc.json",
    ])
      for (const edit of [put(at, [file("SKILL.md", "x")]), remove(at)])
        await assert.rejects(mirror.build(null, [edit], commitInfo), { code: "invalid_draft" }, at);
    const wrong = { ...text("skills/a"), contentTree: "5".repeat(40) };
    const trick = put("skills/a", [file("SKILL.md", "x"), file("../escape", "x")]);
    const forged = put("skills/a", [file("SKILL.md", "x"), file(".svc.json", "x")]);
    for (const edit of [wrong, trick, forged]) {
      const { prepared, refused } = await mirror.build(null, [edit, text("skills/b")], commitInfo);
      assert.deepEqual(
        refused.map((one) => [one.path, one.why]),
        [["skills/a", "unreadable"]],
      );
      assert.deepEqual(
        (await mirror.scan(prepared!.commit)).directories.map((one) => one.path),
        ["skills/b"],
        "the others are written",
      );
    }
    await assert.rejects(mirror.build(null, [text("skills/a"), text("skills/a")], commitInfo), {
      code: "invalid_draft",
    });
    await assert.rejects(mirror.build("6".repeat(40), [text("skills/a")], commitInfo), {
      code: "mirror_damaged",
    });
  });
});
