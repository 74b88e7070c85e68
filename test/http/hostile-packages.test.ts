import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, existsSync } from "node:fs";
import { describe, it } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import type { PackageRule } from "../../contract/checks/package-rules.ts";
import { limits } from "../../contract/limits.ts";
import type { Answer } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { makeZip, skillMd, type ZipEntry } from "../support/zip.ts";

const { service, owner, org } = await setUpOrganization();

const root: ZipEntry = { name: "SKILL.md", data: skillMd("hostile") };

/** Everything that could have been stored, by name: files below the Git root, and the relevant documents. */
async function stored(): Promise<string[]> {
  await service.settled();
  const gitRoot = service.app.config.gitRoot;
  const files = existsSync(gitRoot) ? readdirSync(gitRoot, { recursive: true }).map(String) : [];
  const { raw } = service.app.storage.database;
  const documents: string[] = [];
  for (const name of ["skills", "versions", "manifests", "uploads", "idempotency"])
    for (const { _id } of await raw.collection(name).find().toArray())
      documents.push(`${name} ${String(_id)}`);
  // Folders that the store keeps ready do not belong to a package.
  return [
    ...files.filter((name) => !/^(uploads|artifacts|\.?tmp|\.?trash)$/.test(name)),
    ...documents,
  ].sort();
}

async function publish(zip: Buffer): Promise<Answer> {
  const uploadId = await service.upload(owner, zip);
  return service.call("POST", "/api/skills", { token: owner.token, body: { tenantId: org.slug, uploadId } });
}

/** The publish must fail by this rule, with a message, and leave nothing behind. */
async function refuses(zip: Buffer, rule: PackageRule | PackageRule[], what = String(rule)): Promise<void> {
  const untouched = await stored();
  const answer = await publish(zip);
  assert.equal(answer.code, "package_invalid", `${what}: ${JSON.stringify(answer.body).slice(0, 300)}`);
  assert.ok(
    [rule].flat().includes(answer.details!["rule"] as PackageRule),
    `${what}: ${JSON.stringify(answer.details)}`,
  );
  assert.ok(answer.error!.length < 400, what);
  assert.deepEqual(await stored(), untouched, what);
}

async function refusesContent(entry: ZipEntry, what: string): Promise<void> {
  const untouched = await stored();
  const answer = await publish(makeZip([entry]));
  assert.equal(answer.code, "content_invalid", `${what}: ${JSON.stringify(answer.body).slice(0, 300)}`);
  assert.deepEqual(await stored(), untouched, what);
}

describe("a hostile package", () => {
  it("may not lead out of its folder, nor contain names that are unsafe on some system", async () => {
    const names: [string | Buffer, PackageRule | PackageRule[]][] = [
      ["../evil.md", "path_dot"],
      ["a/../../evil.md", "path_dot"],
      ["./a.md", "path_dot"],
      ["/etc/passwd", "path_absolute"],
      ["//host/share", "path_absolute"],
      ["C:/windows/a.md", "path_drive"],
      ["c:a.md", "path_drive"],
      ["a\\b.md", "path_backslash"],
      ["..\\evil.md", "path_backslash"],
      ["a//b.md", "path_empty"],
      ["", ["path_empty", "malformed_zip"]],
      ["a\0.md", "path_control"],
      ["a\nb.md", "path_control"],
      ["a\u0085b.md", "path_control"],
      ["photo\u202egnp.sh", "path_control"],
      [Buffer.from([0x61, 0xff, 0xfe]), "path_encoding"],
      [".git ./config", "path_git"],
      ["git~1/config", "path_git"],
      [".git::$INDEX_ALLOCATION/config", "path_git"],
      [".g\u200cit/config", "path_git"],
      [".gitmodules", "submodule"],
      [".SVC.json", "path_reserved"],
      [`${"d/".repeat(40)}a.md`, "too_deep"],
      [`${"d".repeat(256)}.md`, "component_too_long"],
      [`${`${"d".repeat(200)}/`.repeat(21)}a.md`, ["path_too_long"]],
    ];
    for (const [name, rule] of names)
      await refuses(makeZip([root, { name, data: "x" }]), rule, JSON.stringify(String(name)).slice(0, 80));
  });

  it("may not contain two files that have the same name on some system", async () => {
    for (const [a, b, rule] of [
      ["a.md", "a.md", "duplicate"],
      ["SKILL.md", "other.md", "duplicate"],
      ["a.md", "A.md", "duplicate_case"],
      ["Docs/a.md", "docs/b.md", "duplicate_case"],
      ["caf\u00e9.md", "cafe\u0301.md", "duplicate_case"],
      ["straße.md", "STRASSE.md", "duplicate_case"],
      ["a", "a/b.md", "file_and_folder"],
      ["a/b.md", "a", "file_and_folder"],
      ["a/b", "A/B/c", ["duplicate_case", "file_and_folder"]],
    ] as [string, string, PackageRule | PackageRule[]][])
      await refuses(makeZip([root, { name: a, data: "1" }, { name: b, data: "2" }]), rule, `${a} and ${b}`);
  });

  it("may not contain links, devices, submodules or Git metadata", async () => {
    await refuses(makeZip([root, { name: "link", data: "/etc/passwd", mode: 0o120777 }]), "symlink");
    await refuses(makeZip([root, { name: "module", data: "", mode: 0o160000 }]), "submodule");
    await refuses(makeZip([root, { name: "device", data: "", mode: 0o020666 }]), "special_file");
    await refuses(makeZip([root, { name: "pipe", data: "", mode: 0o010666 }]), "special_file");
    await refuses(makeZip([root, { name: "folder/", data: "bytes", mode: 0o040755 }]), "special_file");
    await refuses(makeZip([root, { name: "locked", data: "x", flags: 0x801 }]), "encrypted");
    await refuses(makeZip([root, { name: "odd", data: "x", method: 14 }]), "unsupported_method");
  });

  it("may have 500 files and not one more", async () => {
    const many = Array.from({ length: 500 }, (_, i) => ({ name: `f/${i}.txt`, data: "" }));

    await refuses(makeZip([root, ...many]), "too_many_files");
    const full = await publish(makeZip([root, ...many.slice(1)]));

    assert.equal(full.status, 201, JSON.stringify(full.body));
  });

  it("may not inflate beyond 100 MB, declared or not", async () => {
    const zeros = Buffer.alloc(50 * 1024 * 1024);
    const half = { deflated: deflateRawSync(zeros, { level: 9 }), toldSize: zeros.length, crc: crc32(zeros) };
    const twice = [
      { name: "a.bin", ...half },
      { name: "b.bin", ...half },
    ];

    await refuses(makeZip([root, ...twice]), "too_large", "one SKILL.md over the limit");
    await refuses(
      makeZip([root, { ...twice[0]!, toldSize: 100 }]),
      "size_mismatch",
      "a bomb that declares 100 bytes",
    );
    await refuses(
      makeZip([root, { ...twice[0]!, toldSize: 0xffff_fff0 }]),
      ["too_large", "malformed_zip"],
      "a size beyond all bounds",
    );
    const nested = makeZip([{ name: "x", data: makeZip(twice) }]);
    const kept = await publish(makeZip([root, { name: "inner.zip", data: nested, stored: true }]));
    assert.equal(kept.status, 201, "a zip inside is a file like any other");
  });

  it("may not declare false sizes, checksums or offsets", async () => {
    await refuses(makeZip([root, { name: "a", data: "hello", toldSize: 4 }]), "size_mismatch");
    await refuses(makeZip([root, { name: "a", data: "hello", toldSize: 6 }]), "size_mismatch");
    await refuses(makeZip([root, { name: "a", data: "hello", crc: 1 }]), "checksum_mismatch");
    await refuses(makeZip([root, { name: "a", data: "hello", stored: true, toldSize: 9 }]), "size_mismatch");
    await refuses(makeZip([root, { name: "a", deflated: Buffer.from([0xff, 0xff]), toldSize: 5, crc: 1 }]), [
      "malformed_zip",
      "size_mismatch",
    ]);
    const whole = makeZip([root, { name: "a", data: "hello" }]);
    for (const [what, zip] of Object.entries({
      "cut short": whole.subarray(0, whole.length - 10),
      "no zip": Buffer.from("not a zip at all"),
      "one byte": Buffer.from("P"),
      "a gap before": Buffer.concat([Buffer.alloc(7), whole]),
      "only an end": whole.subarray(whole.length - 22),
    }))
      await refuses(zip, ["malformed_zip", "empty", "root_file_missing"], what);
  });

  it("must have a SKILL.md at its root", async () => {
    await refuses(makeZip([]), ["empty", "malformed_zip"]);
    await refuses(makeZip([{ name: "README.md", data: "x" }]), "root_file_missing");
    await refuses(makeZip([{ name: "skill.md", data: skillMd("x") }]), "root_file_missing");
    const nested = { name: "outer/inner/SKILL.md", data: skillMd("x") };
    await refuses(makeZip([nested, { name: "README.md", data: "x" }]), "root_file_missing");
    await refuses(makeZip([{ name: "SKILL.md/", data: "", mode: 0o040755 }]), ["empty", "root_file_missing"]);
  });

  it("must have a SKILL.md that can be parsed", async () => {
    const cases: Record<string, string | Buffer> = {
      nothing: "",
      "no end": "---\nname: a\n",
      "a blank line first": "\n---\nname: n\ndescription: d\n---\n",
      "a NUL": "---\nname: n\ndescription: d\n---\nx\0",
      "UTF-16": Buffer.from("\uFEFF---\nname: n\n---\n", "utf16le"),
      "no mapping": "---\n- a\n- b\n---\n",
      "a language": "---js\nmodule.exports = {}\n---\n",
      "a language in brackets": "---json\n{}\n---\n",
      "an alias": "---\nname: &a x\ndescription: *a\n---\n",
      "a bomb of aliases": `---\na: &a [x,x]\nb: &b [*a,*a]\nname: n\ndescription: d\nc: [*b,*b]\n---\n`,
      "a merge key": "---\nbase: &b {name: x}\n<<: *b\ndescription: d\n---\n",
      "a doubled key": "---\nname: a\nname: b\ndescription: d\n---\n",
      "a prototype": "---\nname: a\ndescription: d\n__proto__: {admin: true}\n---\n",
      "a constructor": "---\nname: a\ndescription: d\nconstructor: x\n---\n",
      "a wrong name": "---\nname: [a]\ndescription: d\n---\n",
      "a wrong description": "---\nname: a\ndescription: {a: b}\n---\n",
      "a long description": `---\nname: a\ndescription: ${"d".repeat(2049)}\n---\n`,
      "broken YAML": '---\nname: "a\ndescription: d\n---\n',
      "a tab": "---\nname:\n\t- a\n---\n",
      "no UTF-8": Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]),
      "a huge frontmatter": `---\nname: a\ndescription: d\nx: ${"y".repeat(70_000)}\n---\n`,
      "a huge SKILL.md": `${skillMd("a")}${"x".repeat(limits.textContentBytes)}`,
    };
    for (const [what, data] of Object.entries(cases)) await refusesContent({ name: "SKILL.md", data }, what);
  });

  it("is rejected if the bytes received are not those announced", async () => {
    const zip = makeZip([root]);
    const announced = await service.call<{ uploadId: string; url: string }>("POST", "/api/uploads", {
      token: owner.token,
      body: { size: zip.length, sha256: createHash("sha256").update("other").digest("hex") },
    });

    const sent = await service.call("PUT", announced.data.url, { token: owner.token, bytes: zip });

    assert.equal(sent.code, "upload_mismatch");
    assert.deepEqual(readdirSync(`${service.app.config.gitRoot}/uploads`), []);
  });
});
