/** Folders that `gh skill` has marked: it writes the origin into the frontmatter, and sorts the keys. */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isMap, parseDocument } from "yaml";
import { cutFences } from "../../contract/document/frontmatter.ts";
import { dataOf, makeFixture } from "../cli/fixture.ts";

const marks = {
  "github-path": "skills/kit",
  "github-ref": "refs/tags/v1.0.0",
  "github-repo": "https://github.com/acme/skills",
  "github-tree-sha": "f".repeat(40),
};

/** The text as `gh skill` writes it. */
function marked(text: string): string {
  const { yaml = "", body = text } = cutFences(text) ?? {};
  const document = parseDocument(yaml === "" ? "{}" : yaml);
  for (const [key, value] of Object.entries(marks)) document.setIn(["metadata", key], value);
  assert.ok(isMap(document.contents));
  document.contents.items.sort((a, b) => (String(a.key) < String(b.key) ? -1 : 1));
  document.contents.flow = false;
  return `---\n${document.toString()}---\n${body}`;
}

describe("svc verify", () => {
  it("accepts what gh skill writes into a copied folder, and nothing else", async (t) => {
    const made = await makeFixture(t);
    for (const slug of ["kit", "review"])
      assert.equal((await made.run("install", slug, "-t", "cursor", "-g")).code, 0);
    const verified = async () => {
      const { drift } = dataOf<{ drift: { kind: string; skill: string }[] }>(await made.run("verify", "-g"));
      return drift.map(({ kind, skill }) => `${kind} ${skill}`);
    };
    assert.deepEqual(await verified(), []);

    for (const slug of ["kit", "review"]) {
      const file = join(made.home, ".cursor/skills", slug, "SKILL.md");
      const original = await readFile(file, "utf8");
      await writeFile(file, marked(original));
      assert.notEqual(await readFile(file, "utf8"), original);
      assert.deepEqual(await verified(), []);
      for (const edited of [
        marked(original).replace("github-ref", "other-ref"),
        `${marked(original)}One more line.\n`,
        marked(original).replace("description: ", "description: Also "),
      ]) {
        await writeFile(file, edited);
        assert.deepEqual(await verified(), [`edited ${slug}`], edited);
      }
      await writeFile(file, marked(original));
      const other = join(made.home, ".cursor/skills", slug, "more.txt");
      await writeFile(other, "added\n");
      assert.deepEqual(await verified(), [`edited ${slug}`]);
      await writeFile(file, original);
      await rm(other);
      assert.deepEqual(await verified(), []);
    }
  });
});
