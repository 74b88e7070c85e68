/**
 * `svc lint` against the real service: every fixture is linted and then published, and both must reject the same ones.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { packageRules } from "../../contract/checks/package-rules.ts";
import { secretRules } from "../../contract/checks/secret-rules.ts";
import { adviceRules } from "../../contract/checks/skill-advice.ts";
import { contentRules } from "../../contract/checks/skill-rules.ts";
import { limits } from "../../contract/limits.ts";
import { sendUnchecked } from "../cli-publish/send-unchecked.ts";
import { keepContract } from "../support/cli-contract.ts";
import { root } from "../support/root.ts";
import { runCount } from "../support/run-count.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { svc, temporaryFolder } from "./harness.ts";

type Files = Record<string, string | Buffer>;

const { service, owner, org } = await setUpOrganization();

const head = (fields: string) => `---\n${fields}\n---\n`;
const good = head("name: kit\ndescription: Does it.");
const withHead = (fields: string) => `${head(`name: kit\ndescription: Does it.\n${fields}`)}# Kit\n`;
const kit = (files: Files): Files => ({ "kit/SKILL.md": `${good}# Kit\n`, ...files });

async function layOut(t: TestContext, files: Files): Promise<string> {
  const home = await temporaryFolder(t);
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), data);
  }
  return home;
}

async function lint(home: string, path: string, ...flags: string[]) {
  const ran = await svc(["lint", path, ...flags, "-o", "json"], { home });
  assert.equal(ran.stderr, "");
  const report = keepContract("lint", ran.data);
  assert.equal(ran.code, report.ok ? 0 : 1);
  return {
    ...report,
    errors: report.findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule),
    warnings: report.findings.filter(({ severity }) => severity === "warning").map(({ rule }) => rule),
  };
}

async function publish(home: string, path: string) {
  const env = { SVC_API_URL: service.url, SVC_TOKEN: owner.token };
  return svc(["publish", path, "-t", org.slug, "-o", "json"], { home, env });
}

/** The service's own refusal of a skill, without the checks of the client. */
const refusalOf = (home: string, path: string) =>
  sendUnchecked({ apiUrl: service.url, token: owner.token, team: org.slug }, join(home, path));

/** Fixture, what it is linted as, and its errors, of which the service reports the first. */
const texts: [what: string, text: string | Buffer, errors: string[]][] = [
  ["a plain text", "Do it.\n", []],
  ["every supported field", head("name: A\ndescription: d\ntags: [a, b]\nmetadata: {a: b}") + "Do it.\n", []],
  ["a byte order mark", `\uFEFF${head("name: A")}x\n`, []],
  ["Windows line ends", "---\r\nname: A\r\n---\r\nx\r\n", []],
  ["a rule that opens no frontmatter", "----\nname: A\n---\nx\n", []],
  ["nothing", "", ["text_empty"]],
  ["blanks", " \n\t\n", ["text_empty"]],
  ["only frontmatter", head("name: A"), ["text_empty"]],
  ["a NUL", "a\0b", ["text_encoding"]],
  ["Latin 1", Buffer.from([0x61, 0xe9, 0x62]), ["text_encoding"]],
  ["the largest text", "x".repeat(limits.textContentBytes), []],
  ["one byte more", "x".repeat(limits.textContentBytes + 1), ["text_too_large"]],
  ["another language", "---json\n{}\n---\nx\n", ["frontmatter_language"]],
  ["unterminated frontmatter", "---\nname: A\nx\n", ["frontmatter_open"]],
  ["too much frontmatter", head(`a: ${"b".repeat(9000)}`) + "x\n", ["frontmatter_too_large"]],
  ["frontmatter nested too deep", head(`a: ${"[".repeat(40)}`) + "x\n", ["frontmatter_too_deep"]],
  ["broken YAML", head("name: [") + "x\n", ["frontmatter_yaml"]],
  ["a duplicate key", head("name: a\nname: b") + "x\n", ["frontmatter_yaml"]],
  ["a list as frontmatter", head("- a") + "x\n", ["frontmatter_yaml"]],
  ["an alias", head("a: &x 1\nb: *x") + "x\n", ["frontmatter_yaml"]],
  ["a key that every object has", head("constructor: 1") + "x\n", ["frontmatter_key"]],
  ["a list as its name", head("name: [a]") + "x\n", ["name_type"]],
  ["a name that is truncated", head(`name: ${"n".repeat(limits.skillName + 1)}`) + "x\n", []],
  ["a name of two lines", head('name: "a\\nb"') + "x\n", ["name_unusable"]],
  ["a name in another order", head('name: "a\\u202Eb"') + "x\n", ["name_unusable"]],
  ["a number as its description", head("description: 1") + "x\n", ["description_type"]],
  ["a long description", head(`description: ${"d".repeat(2048)}`) + "x\n", []],
  [
    "a description that is too long",
    head(`description: ${"d".repeat(2049)}`) + "x\n",
    ["description_too_long"],
  ],
  ["a mapping as its tags", head("tags: {a: b}") + "x\n", []],
  ["a blank line before its frontmatter", `\n${head("name: A")}x\n`, ["frontmatter_position"]],
  ["a comment before its frontmatter", `<!-- a\nb -->\n${head("name: A")}x\n`, ["frontmatter_position"]],
  ["YAML in a code block between two rules", "# A\n---\n```yaml\nname: other\n```\n---\n", []],
  ["old Macintosh line ends", head("name: A").replaceAll("\n", "\r") + "x\r", ["line_ends"]],
  ["dots as its closing fence", "---\nname: A\n...\nx\n", ["frontmatter_open"]],
  ["UTF-16", Buffer.from(`\uFEFF${head("name: A")}x\n`, "utf16le"), ["text_encoding"]],
  ["a merge key", head("a: {<<: {b: c}}") + "x\n", ["frontmatter_yaml"]],
  ["several faults", head("name: [a]\ndescription: 1") + "x\n", ["name_type", "description_type"]],
];

const packages: [what: string, files: Files, errors: string[]][] = [
  ["what it has to be", kit({ "kit/scripts/run.sh": "#!/bin/sh\n" }), []],
  ["no SKILL.md", { "kit/README.md": "x" }, ["root_file_missing"]],
  ["a skill.md", { "kit/skill.md": good }, ["root_file_missing"]],
  ["no frontmatter", { "kit/SKILL.md": "# Kit\n" }, []],
  ["no name", { "kit/SKILL.md": `${head("description: d")}x\n` }, []],
  ["a blank name", { "kit/SKILL.md": `${head('name: " "\ndescription: d')}x\n` }, []],
  ["no description", { "kit/SKILL.md": `${head("name: kit")}x\n` }, []],
  ["an empty SKILL.md", { "kit/SKILL.md": "" }, ["text_empty"]],
  ["a NUL in SKILL.md", { "kit/SKILL.md": `${good}a\0` }, ["text_encoding"]],
  ["a blank line first", { "kit/SKILL.md": `\n${good}x\n` }, ["frontmatter_position"]],
  ["no body", { "kit/SKILL.md": good }, []],
  ["a SKILL.md in Latin 1", { "kit/SKILL.md": Buffer.from([0xe9]) }, ["text_encoding"]],
  ["a huge SKILL.md", { "kit/SKILL.md": good + "x".repeat(limits.textContentBytes) }, ["text_too_large"]],
  ["a name of two lines", { "kit/SKILL.md": head('name: "a\\nb"\ndescription: d') }, ["name_unusable"]],
  ["what the service writes itself", kit({ "kit/.SVC.json": "{}" }), ["path_reserved"]],
  ["submodules", kit({ "kit/.gitmodules": "x" }), ["submodule"]],
  ["a backslash", kit({ "kit/a\\b": "x" }), ["path_backslash"]],
  ["a control character", kit({ "kit/a\u0007b": "x" }), ["path_control"]],
  ["names that differ by case", kit({ "kit/a.txt": "1", "kit/A.txt": "2" }), ["duplicate_case"]],
  ["a drive", kit({ "kit/c:x": "x" }), ["path_drive"]],
  ["Git's folder by another name", kit({ "kit/GIT~1/config": "x" }), ["path_git"]],
  [
    "several faults",
    { "kit/SKILL.md": `${head("name: [a]")}x\n`, "kit/a\\b": "x", "kit/.SVC.json": "{}" },
    ["path_backslash", "path_reserved", "name_type"],
  ],
];

describe("svc lint", () => {
  for (const [what, text, errors] of texts)
    it(`rejects a text with ${what} exactly if the service does`, async (t) => {
      const home = await layOut(t, { "notes.md": text });

      const linted = await lint(home, "notes.md");
      const published = await publish(home, "notes.md");

      assert.deepEqual(linted.errors, errors);
      assert.equal(published.code, errors.length === 0 ? 0 : 1, published.stderr);
      assert.equal((await refusalOf(home, "notes.md")) === undefined, errors.length === 0);
    });

  for (const [what, files, errors] of packages)
    it(`rejects a folder with ${what} exactly if the service does`, async (t) => {
      const home = await layOut(t, files);

      const linted = await lint(home, "kit");
      const published = await publish(home, "kit");

      assert.deepEqual(linted.errors.toSorted(), errors.toSorted());
      assert.equal(published.code, errors.length === 0 ? 0 : 1, published.stderr);
      assert.equal((await refusalOf(home, "kit")) === undefined, errors.length === 0);
    });

  it("rejects links and special files, and ignores modes", async (t) => {
    const home = await layOut(t, kit({ "kit/run.sh": "#!/bin/sh\n" }));
    await chmod(join(home, "kit/run.sh"), 0o755);
    assert.deepEqual((await lint(home, "kit")).errors, []);
    await symlink("run.sh", join(home, "kit/link.sh"));

    assert.deepEqual((await lint(home, "kit")).errors, ["symlink"]);
    assert.equal((await publish(home, "kit")).code, 1);
  });

  it("stops at the number of files that a package may have", async (t) => {
    const many = Object.fromEntries(Array.from({ length: limits.packageFiles }, (_, i) => [`kit/${i}`, ""]));
    const home = await layOut(t, kit(many));

    assert.deepEqual((await lint(home, "kit")).errors, ["too_many_files"]);
    assert.equal((await publish(home, "kit")).code, 1);
  });

  it("packs a folder near the limit, since only its zip shows the size", async (t) => {
    const home = await layOut(t, kit({ "kit/noise": randomBytes(limits.packageCompressedBytes - 1000) }));

    assert.deepEqual((await lint(home, "kit")).errors, ["too_large_compressed"]);
  });

  it("agrees with the service on any frontmatter", async (t) => {
    const key = fc.constantFrom("name", "description", "tags", "license", "metadata", "x", "constructor");
    const values = [
      "plain",
      "1",
      "null",
      '""',
      "[a, b]",
      "{a: b}",
      "[",
      "*a",
      '"a\\nb"',
      "'",
      "|\n  x",
      "&a b",
      "true",
      "a: b",
      "n".repeat(110),
      "d".repeat(1030),
      "a,b,c,d,e,f",
      '"\\u0007"',
      "<b>x</b>",
      "!!x y",
    ];
    const value = fc.constantFrom(...values);
    const field = fc.tuple(key, value).map(([name, text]) => `${name}: ${text}`);
    const end = fc.constantFrom("---\n", "--- \n", "----\n", "", "---");
    const body = fc.constantFrom("Do it.\n", "", "\n\n", "a\0b", "\uFEFF");
    const text = fc
      .tuple(fc.array(field, { maxLength: 4 }), end, body)
      .map(([fields, closing, rest]) => `---\n${fields.join("\n")}\n${closing}${rest}`);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (source, asPackage) => {
        const place = `f${++run}`;
        const path = asPackage ? place : `${place}/t.md`;
        const home = await layOut(t, { [`${place}/${asPackage ? "SKILL.md" : "t.md"}`]: source });

        const { errors } = await lint(home, path);
        const { code, stderr } = await publish(home, path);
        const refusal = await refusalOf(home, path);

        const about = `${JSON.stringify(source)}: ${errors.join()} ${stderr} ${refusal}`;
        assert.deepEqual([code !== 0, refusal !== undefined], Array(2).fill(errors.length > 0), about);
      }),
      { numRuns: runCount(20, 300) },
    );
  });

  const advised: [files: Files, warnings: string[]][] = [
    [kit({}), []],
    [{ "kit/SKILL.md": withHead("model: x\nhooks: y\nowner: z\nx-y: z") }, []],
    [{ "kit/SKILL.md": withHead("allowed_tools: x\nlicence: y") }, ["unknown_key", "unknown_key"]],
    [{ "kit/SKILL.md": "# Kit\n\nDoes it.\n" }, ["frontmatter_missing"]],
    [{ "kit/SKILL.md": `${head("a: b")}x\n` }, ["description_missing", "name_missing"]],
    [{ "a.md": `${head("description: d\ntags: {a: b}")}x\n` }, ["tags_type"]],
    [{ "a.md": `${head("description: d\ntags: a,b,c,d,e,f")}x\n` }, ["too_many_tags"]],
    [{ "a.md": `${head(`description: d\ntags: [${"t".repeat(51)}]`)}x\n` }, ["tag_too_long"]],
    [{ "kit/SKILL.md": `${head("name: My Kit\ndescription: d")}x\n` }, ["name_form"]],
    [{ "kit/SKILL.md": `${head("name: other\ndescription: d")}x\n` }, ["name_folder"]],
    [{ "claude-kit/SKILL.md": `${head("name: claude-kit\ndescription: d")}x\n` }, ["name_reserved"]],
    [{ "kit/SKILL.md": `${head("name: kit\ndescription: Uses <b>it</b>")}x\n` }, ["markup_in_field"]],
    [{ "kit/SKILL.md": withHead("license: [MIT]") }, ["license_form"]],
    [{ "kit/SKILL.md": withHead(`compatibility: ${"c".repeat(501)}`) }, ["compatibility_form"]],
    [{ "kit/SKILL.md": withHead("metadata: {a: {b: [1]}}") }, []],
    [{ "kit/SKILL.md": withHead("metadata: a") }, ["metadata_form"]],
    [{ "kit/SKILL.md": withHead("allowed-tools: [Bash, Read]") }, []],
    [{ "kit/SKILL.md": withHead("allowed-tools: {a: b}") }, ["allowed_tools_form"]],
    [{ "kit/SKILL.md": withHead("license: MIT\nmetadata: {a: b}\nallowed-tools: Bash Read") }, []],
    [{ "kit/SKILL.md": good }, ["body_empty"]],
    [{ "kit/SKILL.md": good + "x\n".repeat(500) }, []],
    [{ "kit/SKILL.md": good + "x\n".repeat(501) }, ["body_too_long"]],
    [{ "kit/SKILL.md": good + "x".repeat(20_001) }, ["body_too_many_tokens"]],
    [{ "kit/SKILL.md": `${good}[a](references/a.md) [b](https://x.y/z) [c](#d)\n` }, ["link_missing"]],
    [
      kit({
        "kit/SKILL.md": `${good}[a](./references/a%20b.md#x) [r](references)\n`,
        "kit/references/a b.md": "",
      }),
      [],
    ],
    [{ "kit/SKILL.md": `${good}[a](../../secret.md)\n[x]: b.md\n` }, ["link_missing", "link_outside"]],
    [{ "kit/SKILL.md": `${good}\`[a](b.md)\`\n\`\`\`\n[a](b.md)\n\`\`\`\n` }, []],
    [kit({ "kit/ab:c": "x", "kit/CON.txt": "x" }), ["path_windows", "path_windows"]],
    [kit({ [`kit/${"a".repeat(75)}/${"b".repeat(75)}`]: "x" }), ["path_long"]],
    [{ "a.md": "Text without a description.\n" }, ["description_absent"]],
    [{ "RULE.md": "Text without a description.\n" }, []],
    [{ "a.md": `${head(`description: ${"d".repeat(1024)}`)}Text.\n` }, []],
    [{ "a.md": `${head(`description: ${"d".repeat(1025)}`)}Text.\n` }, ["description_long"]],
    [{ "a.md": `${head("description: d")}See [b](b.md).\n` }, ["link_missing"]],
  ];
  for (const [files, warnings] of advised)
    it(`reports ${warnings.join(", ") || "nothing"} on ${JSON.stringify(files).slice(0, 90)}`, async (t) => {
      const home = await layOut(t, files);
      const [file] = Object.keys(files);

      const linted = await lint(home, file!.includes("/") ? file!.split("/")[0]! : file!);

      assert.deepEqual([linted.errors, linted.warnings.toSorted(), linted.ok], [[], warnings, true]);
      const strict = await lint(home, linted.skills[0]!.path, "--strict");
      assert.equal(strict.ok, !warnings.some((rule) => rule !== "unknown_key"));
    });

  it("has a fixture for every rule about content", () => {
    const tried = new Set([
      ...[...texts, ...packages].flatMap(([, , errors]) => errors),
      ...advised.flatMap(([, warnings]) => warnings),
    ]);

    assert.deepEqual(
      [...contentRules, ...adviceRules].filter((rule) => !tried.has(rule)),
      [],
    );
  });

  it("documents every rule", async () => {
    const document = await readFile(join(root, "docs/reference/skill-rules.md"), "utf8");

    const rules = [...contentRules, ...packageRules, ...secretRules, ...adviceRules];
    assert.deepEqual(
      rules.filter((rule) => !document.includes(`\`${rule}\``)),
      [],
    );
  });

  it("reports line numbers", async (t) => {
    const source = head("name: kit\ndescription: d\nmodle: x\ntags: {a: b}") + "\n# Kit\n\n[a](b.md)\n";
    const home = await layOut(t, {
      "kit/SKILL.md": source,
      "bad/SKILL.md": head("name: kit\n\nname: b"),
    });

    const { findings } = await lint(home, "kit");
    const lines = Object.fromEntries(findings.map(({ rule, line }) => [rule, line]));

    assert.deepEqual(lines, { unknown_key: 4, tags_type: 5, link_missing: 10 });
    assert.equal((await lint(home, "bad")).findings[0]!.line, 4);
  });

  it("checks all skills below a folder, and without a path those of the working folder", async (t) => {
    const home = await layOut(t, {
      "skills/b/SKILL.md": `${head("name: b\ndescription: d")}x\n`,
      "skills/ops/deep/a/SKILL.md": `${head("name: a\ndescription: [d]")}x\n`,
      "skills/node_modules/x/SKILL.md": "",
      "src/x.md": "",
    });

    const all = await lint(home, ".");
    const below = await lint(home, "skills");
    const without = keepContract("lint", (await svc(["lint", "-o", "json"], { home })).data);

    assert.deepEqual(
      all.skills.map(({ path }) => path),
      ["skills/b", "skills/ops/deep/a"],
    );
    assert.deepEqual(
      all.findings.map(({ path, line }) => [path, line]),
      [["skills/ops/deep/a/SKILL.md", 3]],
    );
    assert.deepEqual(below.skills, all.skills);
    assert.deepEqual(without.findings, all.findings);
    assert.deepEqual((await lint(home, "src")).errors, ["root_file_missing"]);
  });

  it("prints lines for people, and escapes hostile names", async (t) => {
    const home = await layOut(t, kit({ "kit/a\u001b[2Jb": "x", "kit/SKILL.md": `${good}[a](b.md)\n` }));

    const ran = await svc(["lint", "kit"], { home });

    assert.equal(ran.code, 1);
    assert.equal(ran.stderr, "");
    assert.ok(!ran.stdout.includes("\u001b"));
    assert.match(ran.stdout, /^error {2}kit\/a.*path_control$/m);
    assert.match(ran.stdout, /^warning {2}kit\/SKILL\.md:5 {2}Its link "b\.md" leads to no file/m);
    assert.match(ran.stdout, /^1 skill: 1 error, 1 warning$/m);
  });

  it("fails for a missing path", async (t) => {
    const home = await layOut(t, {});

    const ran = await svc(["lint", "nowhere", "-o", "json"], { home });

    assert.deepEqual([ran.code, ran.stdout, ran.error.code], [1, "", "E_NOT_FOUND"]);
  });
});
