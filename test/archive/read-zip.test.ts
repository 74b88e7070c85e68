import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import {
  PackageError,
  packageRules,
  type PackageLimits,
  type PackageRule,
} from "../../contract/checks/package-rules.ts";
import { openZipPackage, readZip, type ZipRules } from "../../repos/archive/index.ts";
import { runCount } from "../support/run-count.ts";
import { until } from "../support/until.ts";
import { rawZip, type RawEntry } from "./raw-zip.ts";

let folder: string;
let files = 0;

async function spooled(zip: Buffer): Promise<string> {
  const path = join(folder, `${files++}.zip`);
  await writeFile(path, zip);
  return path;
}

async function read(entries: readonly RawEntry[], rules: ZipRules = {}) {
  return readZip(await spooled(rawZip(entries)), rules);
}

/** Reads the zip as a whole and in pieces: the rules must hold for both. */
async function assertRefused(
  zip: Buffer,
  rule: PackageRule,
  rules: ZipRules = {},
  path?: string,
): Promise<void> {
  const file = await spooled(zip);
  const inPieces = async () => {
    const opened = await openZipPackage(file, rules);
    try {
      for (const entry of opened.files) for await (const piece of entry.chunks()) assert.ok(piece.length > 0);
    } finally {
      opened.close();
    }
  };
  for (const action of [() => readZip(file, rules), inPieces])
    await assert.rejects(action, (error: unknown) => {
      assert.ok(error instanceof PackageError, String(error));
      assert.equal(error.rule, rule, error.message);
      if (path !== undefined) assert.equal(error.path, path);
      assert.match(error.message, /^["A-Z].*: .*\.$/s);
      return true;
    });
}

const skill: RawEntry = { name: "SKILL.md" };

describe("a zip that is a valid package", () => {
  before(async () => (folder = await mkdtemp(join(tmpdir(), "svc-zip-"))));
  after(() => rm(folder, { recursive: true, force: true }));

  it("is read with its bytes, names and executable bits, sorted", async () => {
    const result = await read(
      [
        { name: "run.sh", data: Buffer.from("#!/bin/sh\n"), unixMode: 0o100755 },
        { name: "docs/", data: Buffer.alloc(0), unixMode: 0o040755 },
        { name: "docs/日本.md", data: Buffer.alloc(100_000, "text ") },
        { name: "SKILL.md", data: Buffer.alloc(0), method: 0, unixMode: 0 },
        { name: "other-x", unixMode: 0o100601 },
      ],
      { rootFile: "SKILL.md" },
    );

    assert.deepEqual(
      result.map(({ path, mode, data }) => [path, mode, data.length]),
      [
        ["SKILL.md", "100644", 0],
        ["docs/日本.md", "100644", 100_000],
        ["other-x", "100755", 7],
        ["run.sh", "100755", 10],
      ],
    );
  });

  it("has names without the UTF-8 flag read as UTF-8 if they are valid, else as CP 437", async () => {
    const unicodePath = Buffer.concat([Buffer.from([1]), Buffer.alloc(4), Buffer.from("ünï.md")]);
    unicodePath.writeUInt32LE(crc32(Buffer.from("uni.md")), 1);
    const field = Buffer.concat([Buffer.from([0x75, 0x70, unicodePath.length, 0]), unicodePath]);

    const result = await read([
      { name: Buffer.from("ä.md"), flags: 0 },
      { name: Buffer.from([0x66, 0x81, 0x72, 0x2e, 0x6d, 0x64]), flags: 0 },
      { name: "uni.md", flags: 0, extra: field },
    ]);

    assert.deepEqual(
      result.map(({ path }) => path),
      ["ä.md", "ünï.md", "für.md"].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  });

  it("is read from the end of a large file without loading all of it", async () => {
    const large = Buffer.alloc(18 * 1024 * 1024, "large and stored ");
    const path = await spooled(rawZip([{ name: "large", data: large, method: 0 }, skill]));

    const zip = await openZipPackage(path, { rootFile: "SKILL.md" });
    try {
      assert.equal(zip.totalBytes, large.length + 7);
      let length = 0;
      for await (const piece of zip.files[1]!.chunks()) length += piece.length;
      assert.equal(length, large.length);
      assert.equal((await zip.files[0]!.read()).toString(), "content");
    } finally {
      zip.close();
    }
  });
});

describe("a zip that is not a valid package", () => {
  before(async () => (folder = await mkdtemp(join(tmpdir(), "svc-zip-"))));
  after(() => rm(folder, { recursive: true, force: true }));

  const paths: [PackageRule, ...string[]][] = [
    ["path_empty", "", "a//b"],
    ["path_absolute", "/etc/passwd", "/"],
    ["path_drive", "C:/x", "c:x", "Z:"],
    ["path_backslash", "a\\b", "..\\..\\x", "\\\\host\\share"],
    [
      "path_control",
      "a\0b",
      "a\nb",
      "a\x7f",
      "\x1b[31m",
      "\u0085",
      "a\u2028b",
      "photo\u202egnp.sh",
      "a\u2066b",
    ],
    ["path_dot", ".", "..", "../x", "a/../../x", "a/./b", "a/.."],
    [
      "path_git",
      ".git./x",
      ".git /x",
      ".git. . /x",
      "git~1/x",
      "GIT~1",
      ".git:x",
      ".git::$INDEX_ALLOCATION/x",
      ".g\u200cit/x",
      "\ufeff.git",
    ],
    [
      "submodule",
      ".gitmodules",
      "sub/.GitModules",
      "gitmod~1",
      ".gitmodules ",
      "gi7eba~1",
      ".gitmodules:x",
      "~1000000",
    ],
    ["path_reserved", ".SVC.json"],
    ["path_too_long", `${"a/".repeat(2100)}b`],
    ["component_too_long", "a".repeat(256), `x/${"ä".repeat(128)}`, "日".repeat(86)],
    ["too_deep", "a/".repeat(32) + "b"],
  ];
  for (const [rule, ...names] of paths)
    it(`is rejected for ${rule}`, async () => {
      for (const name of names) await assertRefused(rawZip([skill, { name }]), rule, {}, name);
    });

  it("is read with the selection of an earlier reading, and its ignore files not again", async () => {
    const entries = [".gitignore", "SKILL.md", "a.log", "d/b.log"].map((name) => ({
      name: `kit/${name}`,
      data: Buffer.from("*.log\n"),
    }));
    const zip = await spooled(rawZip(entries));
    const open = async (rules: ZipRules = {}) => {
      const opened = await openZipPackage(zip, { rootFile: "SKILL.md", ...rules });
      opened.close();
      return { ...opened, paths: opened.files.map((file) => file.path) };
    };
    const first = await open();
    assert.deepEqual(first.paths, [".gitignore", "SKILL.md"]);
    assert.equal(first.leftOut.length, 2);

    const { selection } = first;
    const second = await open({ selection });
    assert.deepEqual([second.paths, second.selection], [first.paths, selection]);
    const withIgnored = { ...selection, files: [...selection.files, { path: "a.log", at: 2 }] };
    assert.deepEqual((await open({ selection: withIgnored })).paths, [".gitignore", "SKILL.md", "a.log"]);
    const beyond = { ...selection, files: [...selection.files, { path: "c", at: 4 }] };
    await assert.rejects(open({ selection: beyond }), { rule: "malformed_zip" });
  });

  it("is not confused with one whose names only look similar", async () => {
    const names = [
      ".github/x",
      "git",
      ".gitignore",
      "a.git",
      "git~10",
      "ab:c",
      "...",
      "..a",
      "sub/.svc.json",
      "a".repeat(255),
      `${"a/".repeat(31)}b`,
      "gitmod~5",
      "~x",
    ];

    const result = await read(names.map((name) => ({ name })));

    assert.equal(result.length, names.length);
  });

  it("is rejected for names that a file system would treat as equal", async () => {
    const cases: [PackageRule, string[]][] = [
      ["duplicate", ["a", "a"]],
      ["duplicate_case", ["README.md", "Readme.md"]],
      ["duplicate_case", ["docs/a", "Docs/b"]],
      ["duplicate_case", ["\u00e4", "a\u0308"]],
      ["duplicate_case", ["STRASSE", "straße"]],
      ["duplicate_case", ["ſkill", "skill"]],
      ["duplicate_case", ["\u212a", "k"]],
      ["file_and_folder", ["a", "a/b"]],
      ["file_and_folder", ["a/b", "a"]],
      ["file_and_folder", ["A", "a/b"]],
      ["file_and_folder", ["a/b/c", "a/b"]],
    ];
    for (const [rule, names] of cases)
      await assertRefused(rawZip([skill, ...names.map((name) => ({ name }))]), rule);
  });

  it("is rejected for links, submodules, devices and false folders", async () => {
    await assertRefused(rawZip([skill, { name: "link", unixMode: 0o120777 }]), "symlink", {}, "link");
    await assertRefused(rawZip([skill, { name: "link/", unixMode: 0o120777 }]), "symlink");
    await assertRefused(rawZip([skill, { name: "module", unixMode: 0o160000 }]), "submodule");
    for (const kind of [0o010000, 0o020000, 0o060000, 0o140000, 0o040000])
      await assertRefused(rawZip([skill, { name: "odd", unixMode: kind | 0o644 }]), "special_file");
    await assertRefused(rawZip([skill, { name: "folder/" }]), "special_file");
    await assertRefused(
      rawZip([skill, { name: "folder/", data: Buffer.alloc(0), unixMode: 0o100644 }]),
      "special_file",
    );
  });

  it("is rejected for false sizes and checksums", async () => {
    const data = Buffer.alloc(50_000, "abc");
    await assertRefused(
      rawZip([skill, { name: "long", data, declaredSize: 49_999 }]),
      "size_mismatch",
      {},
      "long",
    );
    await assertRefused(rawZip([skill, { name: "long", data, declaredSize: 10 }]), "size_mismatch");
    await assertRefused(rawZip([skill, { name: "short", data, declaredSize: 50_001 }]), "size_mismatch");
    await assertRefused(
      rawZip([skill, { name: "stored", data, method: 0, declaredSize: 5 }]),
      "size_mismatch",
    );
    await assertRefused(rawZip([skill, { name: "crc", data, declaredCrc: 7 }]), "checksum_mismatch");
    await assertRefused(rawZip([skill, { name: "cut", data, declaredStoredSize: 20 }]), "malformed_zip");
    await assertRefused(
      rawZip([skill, { name: "noise", data, stored: Buffer.alloc(300, 0xff) }]),
      "malformed_zip",
    );
    await assertRefused(
      rawZip([skill, { name: "empty", data: Buffer.alloc(0), stored: data.subarray(0, 9) }]),
      "malformed_zip",
    );
  });

  it("is rejected for exceeding a limit by one", async () => {
    const limits: Partial<PackageLimits> = { files: 3, uncompressedBytes: 100, compressedBytes: 600 };
    const named = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `f${i}`, data: Buffer.from("x") }));
    assert.equal((await read(named(3), { limits })).length, 3);
    await assertRefused(rawZip(named(4)), "too_many_files", { limits });
    assert.equal((await read([{ name: "a", data: Buffer.alloc(100) }], { limits }))[0]?.data.length, 100);
    await assertRefused(rawZip([{ name: "a", data: Buffer.alloc(101) }]), "too_large", { limits });
    await assertRefused(
      rawZip([
        { name: "a", data: Buffer.alloc(60) },
        { name: "b", data: Buffer.alloc(41) },
      ]),
      "too_large",
      { limits },
    );
    const exact = rawZip(named(1), { comment: Buffer.alloc(600 - rawZip(named(1)).length, 32) });
    assert.equal((await readZip(await spooled(exact), { limits })).length, 1);
    await assertRefused(
      rawZip(named(1), { comment: Buffer.alloc(601 - rawZip(named(1)).length, 32) }),
      "too_large_compressed",
      { limits },
    );
    await assertRefused(rawZip(Array.from({ length: 501 }, (_, i) => ({ name: `f${i}` }))), "too_many_files");
    const empty = { data: Buffer.alloc(0), unixMode: 0o040755 };
    await assertRefused(rawZip([{ name: "a" }, { name: "a/", ...empty }]), "file_and_folder");
    const folders = Array.from({ length: 20_000 }, (_, i) => ({ name: `d${i}/`, ...empty }));
    await assertRefused(rawZip([skill, ...folders]), "too_many_files");
  });

  it("is rejected as a bomb: by its total size, by its inflated size, by overlapping entries", async () => {
    const zeros = Buffer.alloc(60 * 1024 * 1024);
    await assertRefused(
      rawZip([
        { name: "a", data: zeros },
        { name: "b", data: zeros },
      ]),
      "too_large",
    );
    await assertRefused(rawZip([{ name: "a", data: zeros, declaredSize: 1000 }]), "size_mismatch");
    const overlapping = Array.from({ length: 300 }, (_, i) => ({
      name: `f${i}`,
      data: Buffer.alloc(20_000, "z"),
      sharesPrevious: i > 0,
    }));
    await assertRefused(rawZip(overlapping), "malformed_zip");
  });

  it("is rejected if it is encrypted, compressed by another method, truncated or not a zip", async () => {
    await assertRefused(rawZip([skill, { name: "secret", flags: 0x801 }]), "encrypted");
    await assertRefused(rawZip([skill, { name: "secret", flags: 0x841 }]), "encrypted");
    await assertRefused(rawZip([skill, { name: "zstd", method: 93 }]), "unsupported_method");
    await assertRefused(rawZip([skill, { name: Buffer.from([0xff, 0xfe, 0x41]) }]), "path_encoding");
    const whole = rawZip([skill, { name: "b", data: Buffer.alloc(5000, "x") }]);
    for (const end of [0, 1, 21, 22, whole.length - 1, whole.length - 30])
      await assertRefused(whole.subarray(0, end), "malformed_zip");
    await assertRefused(rawZip([skill], { declaredCount: 2 }), "malformed_zip");
    await assertRefused(
      Buffer.from("not a zip at all, just text that is long enough to be one"),
      "malformed_zip",
    );
  });

  it("is rejected without files or without the file that its root must contain, spelled exactly", async () => {
    const rules = { rootFile: "SKILL.md" };
    await assertRefused(rawZip([]), "empty");
    await assertRefused(rawZip([{ name: "d/", data: Buffer.alloc(0), unixMode: 0o040755 }]), "empty");
    await assertRefused(rawZip([{ name: "skill.md" }]), "root_file_missing", rules);
    const nested = [{ name: "a/my-skill/SKILL.md" }, { name: "b.md" }];
    await assert.rejects(read(nested, rules), /lies at "a\/my-skill\/SKILL.md"; publish that folder/);
    const several = ["one/SKILL.md", "two/SKILL.md", "README.md"].map((name) => ({ name }));
    await assert.rejects(
      read(several, rules),
      /it has 2 skills, with "one\/SKILL.md", "two\/SKILL.md"; publish each folder separately/,
    );
  });

  it("never makes the reader fail unexpectedly or leave a file open, whatever bytes are damaged", async () => {
    const sound = rawZip([
      skill,
      { name: "a/b.txt", data: Buffer.alloc(3000, "text ") },
      { name: "c", method: 0 },
    ]);
    const open = async () => (await readdir("/proc/self/fd").catch(() => [])).length;
    const earlier = await open();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const garbled = Buffer.from(sound);
          for (const [at, value] of changes) garbled[at] = value;
          await readZip(await spooled(garbled)).catch((error: unknown) => {
            assert.ok(error instanceof PackageError, String(error));
            assert.ok(packageRules.includes(error.rule));
          });
        },
      ),
      { numRuns: runCount(30, 1500) },
    );
    await until("the files to close", async () => (await open()) <= earlier + 2);
  });
});
