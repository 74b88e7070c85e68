/** A connected repository gives the same content for the files of the corpus, except that ignore files don't apply. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { ignoreFiles } from "../../contract/package/ignore-patterns.ts";
import { openMirrors } from "../../repos/mirror/index.ts";
import { runGit } from "../support/host/git-host.ts";
import { corpus, type CorpusCase } from "./corpus.ts";

const record = ".svc.json";
const pathsOf = ({ files }: CorpusCase) => Object.keys(files);
const hasIgnoreFile = (one: CorpusCase) =>
  pathsOf(one).some((file) => ignoreFiles.includes(path.posix.basename(file)));
/** Git commits nothing that is called `.git`, and a directory without a SKILL.md is no skill. */
const cases = corpus.filter(
  (one) => "SKILL.md" in one.files && !pathsOf(one).some((file) => file.split("/").includes(".git")),
);

describe("the content of a directory of a connected repository", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-corpus-"));
  const copy = path.join(folder, "copy");
  for (const [index, { files }] of cases.entries())
    for (const [name, file] of Object.entries(files)) {
      const { data = "", mode = 0o644, link } = typeof file === "string" ? { data: file } : file;
      const at = path.join(copy, "skills", `case-${index}`, name);
      mkdirSync(path.dirname(at), { recursive: true });
      if (link !== undefined) symlinkSync(link, at);
      else {
        writeFileSync(at, data);
        chmodSync(at, mode);
      }
    }
  runGit(copy, "init", "-q", "-b", "main");
  runGit(copy, "add", "-A", "-f");
  runGit(copy, "commit", "-q", "-m", "the corpus");
  runGit(folder, "clone", "-q", "--bare", copy, "remote.git");
  const mirrors = openMirrors({
    root: path.join(folder, "git"),
    git: { program: "git", searchPath: process.env["PATH"] },
  });
  const mirror = mirrors.open({ tenantId: "a".repeat(24), connectionId: "b".repeat(24) });
  const fetched = await mirror.fetch({ kind: "directory", path: path.join(folder, "remote.git") }, "main");
  assert.ok(fetched.status === "fetched");
  const scan = await mirror.scan(fetched.commit);
  const directories = new Map(scan.directories.map((directory) => [directory.path, directory]));

  after(async () => {
    await mirrors?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [index, one] of cases.entries())
    it(`is the same as on the other surfaces with ${one.what}`, async () => {
      const directory = directories.get(`skills/case-${index}`)!;
      const { files, refused } = await mirror.list(directory);
      const expected: CorpusCase["expected"] = hasIgnoreFile(one) ? { files: pathsOf(one) } : one.expected;
      if ("refused" in expected) {
        assert.ok(refused.length > 0);
        // Each link is reported for itself.
        if (refused[0]!.why !== "symlink") assert.match(refused[0]!.message, expected.refused);
        return;
      }
      assert.deepEqual(refused, []);
      const content = expected.files.map((file) => file.replace(/\*$/, ""));
      assert.deepEqual(files.map((file) => file.path).toSorted(), content.toSorted());
      const leftOut = (expected.leftOut ?? []).filter((each) => each !== record);
      assert.deepEqual(directory.leftOut.map((each) => each.path).toSorted(), leftOut.toSorted());
    });
});
