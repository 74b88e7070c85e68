import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { DiffPayload } from "../../contract/payloads/skills/skills.ts";
import { gitBytes } from "../support/native-git.ts";
import { publishPackage, zipOf } from "../support/package-files.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { skillMd } from "../support/zip.ts";

const { service, owner, org } = await setUpOrganization();

const scratch = mkdtempSync(path.join(os.tmpdir(), "svc-patch-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

type Files = Record<string, Buffer>;
const root = { "SKILL.md": Buffer.from(skillMd("patched")) };

/** A skill with two versions. */
async function publishBoth(old: Files, fresh: Files): Promise<string> {
  const { skill } = await publishPackage(service, owner, org, {}, { ...root, ...old });
  const body = { uploadId: await service.upload(owner, zipOf({ ...root, ...fresh })) };
  const pushed = await service.call("POST", `/api/skills/${skill.id}/versions`, { token: owner.token, body });
  assert.equal(pushed.status, 201, JSON.stringify(pushed.body));
  return skill.id;
}

async function patchOf(id: string, query = "from=1&to=2"): Promise<string> {
  const response = await service.raw("GET", `/api/skills/${id}/diff?${query}`, {
    token: owner.token,
    headers: { accept: "text/x-diff" },
  });
  assert.equal(response.status, 200, query);
  assert.equal(response.headers.get("content-type"), "text/x-diff; charset=utf-8");
  return response.text();
}

/** The files of a folder with their modes, after a patch was applied to it. */
function apply(old: Files, patch: string): Record<string, [mode: string, content: Buffer]> {
  const folder = mkdtempSync(path.join(scratch, "tree-"));
  for (const [name, data] of Object.entries({ ...root, ...old })) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, data);
    if (name === "run") chmodSync(file, 0o755);
  }
  const file = path.join(scratch, "change.diff");
  writeFileSync(file, patch);
  gitBytes(folder, "apply", "--whitespace=nowarn", file);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const full = path.join(entry.parentPath, entry.name);
        const mode = (statSync(full).mode & 0o100) === 0 ? "100644" : "100755";
        return [path.relative(folder, full), [mode, readFileSync(full)] as [string, Buffer]];
      })
      .toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1)),
  );
}

const lines = (...texts: string[]) => Buffer.from(texts.map((text) => `${text}\n`).join(""));
const numbered = Array.from({ length: 40 }, (_, at) => `line ${at}`);

const cases: [name: string, old: Files, fresh: Files][] = [
  ["changed lines", { "a.txt": lines(...numbered) }, { "a.txt": lines(...numbered.with(3, "x"), "end") }],
  ["added and removed files", { "gone.txt": lines("a", "b") }, { "docs/new.txt": lines("c") }],
  [
    "empty files",
    { "gone.txt": Buffer.alloc(0), "full.txt": lines("x") },
    { "new.txt": Buffer.alloc(0), "full.txt": Buffer.alloc(0) },
  ],
  ["a missing line break at the end", { "a.txt": Buffer.from("a\nb") }, { "a.txt": Buffer.from("a\nc") }],
  ["a line break that is added at the end", { "a.txt": Buffer.from("a\nb") }, { "a.txt": lines("a", "b") }],
  ["carriage returns", { "a.txt": Buffer.from("a\r\nb\r\n") }, { "a.txt": Buffer.from("a\r\nc\r\nd\n") }],
  [
    "bytes",
    { "a.bin": Buffer.from([0, 1, 2]) },
    { "a.bin": Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 7) % 256)) },
  ],
  ["added and removed bytes", { "a.bin": Buffer.from([0, 1]) }, { "b.bin": Buffer.from([0, 255, 254]) }],
  [
    "text that is not UTF-8",
    { "a.txt": Buffer.from([0x61, 0xe9, 0x0a]) },
    { "a.txt": Buffer.from([0x62, 0xe9, 0x0a]) },
  ],
  [
    "names that Git quotes",
    { 'é "x".md': lines("a"), "a b.md": lines("a") },
    { 'é "x".md': lines("b"), "a b.md": lines("b"), "日本.md": lines("c") },
  ],
  ["modes", { run: lines("x"), "a.txt": lines("a") }, { run: lines("x", "y"), "a.txt": lines("a") }],
  ["a file that was moved", { "old/a.txt": lines(...numbered) }, { "new/a.txt": lines(...numbered) }],
  [
    "a file that was moved and changed",
    { "a.txt": lines(...numbered) },
    { "b c.txt": lines(...numbered.with(7, "x")) },
  ],
  [
    "lines like those of a patch",
    { "a.txt": lines("-- a", "@@ -1 +1 @@", "x") },
    { "a.txt": lines("++ b", "diff --git a/x b/x", "x") },
  ],
];

describe("the differences between two versions as a text", () => {
  for (const [name, old, fresh] of cases)
    it(`are applied by git: ${name}`, async () => {
      const id = await publishBoth(old, fresh);

      for (const query of ["from=1&to=2", "from=1&to=2&context=1", "from=1&to=2&renames=false"]) {
        const applied = apply(old, await patchOf(id, query));

        const expected = { ...root, ...fresh };
        assert.deepEqual(Object.keys(applied), Object.keys(expected).toSorted());
        for (const [file, data] of Object.entries(expected)) {
          assert.deepEqual(applied[file]![1], data, `${query} ${file}`);
          assert.equal(applied[file]![0], file === "run" ? "100755" : "100644", file);
        }
      }
    });

  it("name renamed files, with their similarity", async () => {
    const id = await publishBoth({ "a.txt": lines(...numbered) }, { "b.txt": lines(...numbered) });

    const patch = await patchOf(id);

    assert.match(patch, /similarity index 100%\nrename from a.txt\nrename to b.txt\n$/);
  });

  it("have the requested number of unchanged lines", async () => {
    const id = await publishBoth(
      { "a.txt": lines(...numbered) },
      { "a.txt": lines(...numbered.with(20, "x")) },
    );
    const count = async (context: number) =>
      (await patchOf(id, `from=1&context=${context}`)).split("\n").filter((line) => line.startsWith(" "))
        .length;

    assert.equal(await count(0), 0);
    assert.equal(await count(3), 6);
    assert.equal(await count(10_000), 39);
  });

  it("are refused where a file is too large for them", async () => {
    const id = await publishBoth({}, { "large.txt": Buffer.alloc(1024 * 1024 + 1, "a") });

    const response = await service.raw("GET", `/api/skills/${id}/diff?from=1`, {
      token: owner.token,
      headers: { accept: "text/x-diff" },
    });

    assert.equal(response.status, 413);
    assert.match(await response.text(), /large\.txt/);
  });

  it("are hidden from those who may not read the skill", async () => {
    const id = await publishBoth({}, {});
    const stranger = await service.newUser();
    const read = (skill: string) =>
      service.raw("GET", `/api/skills/${skill}/diff?from=1`, {
        token: stranger.token,
        headers: { accept: "text/x-diff" },
      });

    assert.equal((await read(id)).status, 404);
    assert.equal((await read("f".repeat(24))).status, 404);
  });
});

describe("a comparison with renames", () => {
  const diff = async (id: string, query: string) =>
    (await service.call<DiffPayload>("GET", `/api/skills/${id}/diff?${query}`, { token: owner.token })).data
      .files;

  it("joins files of equal and similar content, where it is requested", async () => {
    const old = {
      "a.txt": lines(...numbered),
      "b.txt": lines("other", "text"),
      "c.bin": Buffer.from([0, 7]),
    };
    const fresh = {
      "x/a.txt": lines(...numbered.with(1, "changed")),
      "d.bin": Buffer.from([0, 7]),
      "y.txt": lines("nothing", "alike"),
    };
    const id = await publishBoth(old, fresh);

    const joined = await diff(id, "from=1&to=2&renames=true");
    const apart = await diff(id, "from=1&to=2");

    assert.deepEqual(
      joined.map(({ path: name, status, from }) => [name, status, from]),
      [
        ["b.txt", "removed", undefined],
        ["d.bin", "renamed", "c.bin"],
        ["x/a.txt", "renamed", "a.txt"],
        ["y.txt", "added", undefined],
      ],
    );
    assert.deepEqual(
      joined[2]!.hunks[0]!.lines.filter((line) => !line.startsWith(" ")),
      ["-line 1", "+changed"],
    );
    assert.deepEqual(
      apart.map(({ status }) => status),
      ["removed", "removed", "removed", "added", "added", "added"],
    );
  });

  it("takes a number of unchanged lines", async () => {
    const id = await publishBoth(
      { "a.txt": lines(...numbered) },
      { "a.txt": lines(...numbered.with(20, "x")) },
    );

    const [file] = await diff(id, "from=1&context=1");

    assert.deepEqual(file!.hunks[0]!.lines, [" line 19", "-line 20", "+x", " line 21"]);
    const refused = await service.call("GET", `/api/skills/${id}/diff?from=1&context=-1`, {
      token: owner.token,
    });
    assert.equal(refused.code, "invalid_request");
  });
});
