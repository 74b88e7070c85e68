import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { keepContract } from "../support/cli-contract.ts";
import { setUpService } from "../support/set-up.ts";
import { type StubSkill, answer, startRegistry, svc, temporaryFolder } from "./harness.ts";

const env = () => ({ SVC_API_URL: service.url, SVC_TOKEN: user.token });
const run = (...argv: string[]) => svc(argv, { home, env: env() });
const json = async (...argv: string[]) => {
  const ran = await run(...argv, "-o", "json");
  assert.deepEqual([ran.code, ran.stderr], [0, ""], ran.stderr);
  return keepContract("diff", ran.data);
};
const failure = async (...argv: string[]) => {
  const ran = await run(...argv, "-o", "json");
  assert.deepEqual([ran.code, ran.stdout], [1, ""]);
  return ran.error;
};

async function publish(path: string, files: Record<string, string | Buffer>): Promise<void> {
  await rm(join(home, path), { recursive: true, force: true });
  for (const [name, data] of Object.entries(files)) {
    const file = name === "" ? join(home, path) : join(home, path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, data);
  }
  const ran = await run("publish", path, "-t", "acme", "-o", "json");
  assert.equal(ran.code, 0, ran.stderr);
}

const { service } = await setUpService();
const user = await service.newUser();
await service.newOrg(user, "acme");
const home = await mkdtemp(join(tmpdir(), "svc-cli-"));
for (const text of ["one\ntwo\nthree\n", "one\n2\nthree\n", "one\n2\nthree\nfour\u001b[2J\u202e"])
  await publish("notes.md", { "": `---\nname: notes\ndescription: d\n---\n${text}` });
const head = "---\nname: kit\ndescription: d\n---\n";
await publish("kit", { "SKILL.md": `${head}# Kit\n`, "old.txt": "x\n", "a.bin": Buffer.from([0, 1]) });
await publish("kit", {
  "SKILL.md": `${head}# Kit\n`,
  "new.txt": "y\n",
  "a.bin": Buffer.from([0, 2]),
  "big.txt": "z".repeat(1024 * 1024 + 1),
});

after(() => rm(home, { recursive: true, force: true }));

describe("svc diff", () => {
  it("compares the previous version with the current one if nothing is installed", async () => {
    const done = await json("diff", "notes");

    assert.deepEqual([done.from, done.to, done.fromSemver, done.toSemver], [2, 3, "1.0.1", "1.0.2"]);
    assert.deepEqual(
      done.files.map(({ path, status, additions, deletions }) => [path, status, additions, deletions]),
      [["SKILL.md", "modified", 1, 0]],
    );
    assert.ok(done.files[0]!.hunks[0]!.lines.includes("+four\u001b[2J\u202e"));
  });

  it("accepts exact versions, numbers, ranges and latest", async () => {
    for (const [from, to, expected] of [
      ["1.0.0", "1.0.1", [1, 2]],
      ["1", "3", [1, 3]],
      ["~1.0.0", "latest", [3, 3]],
      ["3", "1", [3, 1]],
    ] as const) {
      const done = await json("diff", "acme/notes", from, to);
      assert.deepEqual([done.from, done.to], expected, `${from} ${to}`);
    }
    assert.equal((await failure("diff", "notes", "9.9.9")).code, "E_NOT_FOUND");
    assert.equal((await failure("diff", "notes", "9")).code, "E_NOT_FOUND");
    assert.equal((await failure("diff", "nobody")).code, "E_NOT_FOUND");
    for (const [argv, flag] of [
      [["notes@1"], "<skill>"],
      [["notes", "1.x.y"], "<from>"],
      [["notes", "1", "0"], "<to>"],
    ] as const) {
      const { code, details } = await failure("diff", ...argv);
      assert.deepEqual([code, details?.["flag"]], ["E_INVALID_ARGUMENT", flag], argv.join(" "));
    }
  });

  it("compares the first version with nothing", async () => {
    await publish("single.md", { "": "---\nname: single\ndescription: d\n---\nx\n" });

    const first = await failure("diff", "single");

    assert.deepEqual([first.code, first.details?.["flag"]], ["E_INVALID_ARGUMENT", "<from>"]);
  });

  it("names binary files and those that are too large, and prints only counts with --stat", async () => {
    const done = await json("diff", "kit");
    assert.deepEqual(
      done.files.map(({ path, status, binary, truncated, hunks }) => [
        path,
        status,
        binary,
        truncated,
        hunks.length,
      ]),
      [
        ["a.bin", "modified", true, false, 0],
        ["big.txt", "added", false, true, 0],
        ["new.txt", "added", false, false, 1],
        ["old.txt", "removed", false, false, 1],
      ],
    );
    const { files } = await json("diff", "kit", "--stat");
    assert.deepEqual(
      files.map(({ additions, deletions, hunks }) => [additions, deletions, hunks.length]),
      [
        [0, 0, 0],
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
      ],
    );

    const shown = (await run("diff", "kit")).stdout;
    assert.match(shown, /^acme\/kit 1\.0\.0 → 1\.0\.1$/m);
    assert.match(shown, /^Binary file a\.bin modified$/m);
    assert.match(shown, /^File big\.txt added: too large or too different to be shown$/m);
    assert.match(shown, /^--- \/dev\/null\n\+\+\+ b\/new\.txt\n@@ -0,0 \+1,1 @@\n\+y$/m);
    assert.match(shown, /^--- a\/old\.txt\n\+\+\+ \/dev\/null\n@@ -1,1 \+0,0 @@\n-x$/m);
    const stat = (await run("diff", "kit", "--stat")).stdout;
    assert.match(stat, /^removed +\+0 +-1 +old\.txt$/m);
    assert.match(stat, /a\.bin \(binary\)/);
  });

  it("starts from the installed version", async (t) => {
    const project = await temporaryFolder(t);
    const installed = await run("install", "notes@1.0.0", "-t", "cursor", "-p", project, "-o", "json");
    assert.equal(installed.code, 0, installed.stderr);

    const done = await json("diff", "notes");
    const same = await run("diff", "notes", "latest");

    assert.deepEqual([done.from, done.to], [1, 3]);
    assert.equal(same.stdout, "Nothing to compare in acme/notes: both are 1.0.2.\n");
  });

  it("escapes control characters for people, and uses colours if they are enabled", async () => {
    const plain = (await run("diff", "notes", "2")).stdout;
    assert.match(plain, /^\+four\^\[\[2J<U\+202E>$/m);
    assert.ok(!plain.includes("\u001b"));

    const coloured = (await svc(["diff", "notes", "2"], { home, env: { ...env(), FORCE_COLOR: "1" } }))
      .stdout;
    assert.ok(!coloured.includes("\u001b[2J"));
  });

  it("rejects a response that is not a comparison, and escapes paths that move the cursor", async (t) => {
    const skills: StubSkill[] = [
      {
        slug: "s",
        publicId: "ssssssssss",
        name: "S",
        versions: [
          { semver: "1.0.0", body: "1\n" },
          { semver: "1.0.1", body: "2\n" },
        ],
      },
    ];
    const file = { path: "a\u001b[2Jb\r", status: "added", binary: true, truncated: false, hunks: [] };
    let data: unknown;
    const url = await startRegistry(t, skills, (_request, response, { pathname }) => {
      if (!pathname.endsWith("/diff")) return false;
      answer(response, 200, { success: true, data });
      return true;
    });
    const ask = (...argv: string[]) => svc(["diff", "s", ...argv], { home, env: { SVC_API_URL: url } });

    data = { from: 1, to: 2, files: [file] };
    const shown = await ask();
    assert.deepEqual([shown.code, shown.stdout.includes("\u001b")], [0, false]);
    assert.ok(shown.stdout.includes("a^[[2Jb^M"));
    for (const wrong of [
      {},
      { from: 1, to: 2, files: [{ ...file, hunks: [{ lines: [1] }] }] },
      { from: 1, to: 2, files: [null] },
    ]) {
      data = wrong;
      const ran = await ask("-o", "json");
      assert.deepEqual([ran.code, ran.stdout, ran.error.code], [1, "", "E_NETWORK"]);
    }
  });
});
