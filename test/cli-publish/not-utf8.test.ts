/** Names in a folder that are not UTF-8, as old archives and other systems leave them. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { svc, temporaryFolder } from "../cli/harness.ts";

const latin1 = (...parts: string[]) =>
  Buffer.concat(parts.map((part, i) => Buffer.from(`${i === 0 ? "" : "/"}${part}`, "latin1")));

describe("a name that is not UTF-8", { skip: process.platform !== "linux" && "needs such names" }, () => {
  const cases = [
    { what: "a file", folder: "", name: "café.md", shown: '"caf\\xe9.md" is' },
    { what: "a file in a folder", folder: "docs", name: "é.md", shown: '"\\xe9.md" in "docs" is' },
  ];
  for (const { what, folder, name, shown } of cases)
    it(`is reported with the remedy: ${what}`, async (t) => {
      const home = await temporaryFolder(t);
      await mkdir(join(home, "kit", "docs"), { recursive: true });
      await writeFile(join(home, "kit", "SKILL.md"), "---\nname: kit\ndescription: d\n---\nx\n");
      await writeFile(latin1(join(home, "kit"), ...(folder === "" ? [] : [folder]), name), "x");

      const ran = await svc(["publish", "kit", "--dry-run", "-o", "json"], {
        home,
        env: { SVC_TOKEN: `lsk_${"ab".repeat(32)}`, SVC_API_URL: "http://127.0.0.1:1" },
      });

      assert.equal(ran.error.code, "E_PACK_FAILED");
      assert.match(ran.error.message, /is not UTF-8: rename it, for example with convmv/);
      assert.ok(ran.error.message.includes(shown), ran.error.message);
      assert.equal(ran.error.details?.["rule"], "path_encoding");
    });

  it("is reported by lint, also of a folder, with each other fault", async (t) => {
    const home = await temporaryFolder(t);
    await mkdir(join(home, "kit"));
    await writeFile(join(home, "kit", "SKILL.md"), "---\nname: kit\ndescription: d\n---\nx\n");
    await mkdir(latin1(join(home, "kit"), "größe"));
    await writeFile(latin1(join(home, "kit"), "a\u00ff"), "x");

    const ran = await svc(["lint", "kit", "-o", "json"], { home });

    const text = JSON.stringify(ran.data);
    assert.match(text, /gr\\\\\\\\xf6\\\\\\\\xdfe|gr\\\\xf6\\\\xdfe/);
    assert.match(text, /a\\\\\\\\xff|a\\\\xff/);
  });

  it("does not matter where it is left out", async (t) => {
    const home = await temporaryFolder(t);
    await mkdir(join(home, "kit"));
    await writeFile(join(home, "kit", "SKILL.md"), "---\nname: kit\ndescription: d\n---\nx\n");
    await writeFile(join(home, "kit", ".gitignore"), "*.log\n");
    await writeFile(latin1(join(home, "kit"), "é.log"), "x");

    const ran = await svc(["lint", "kit", "-o", "json"], { home });

    assert.equal(ran.code, 0, ran.stdout);
  });
});
