/** Packages with names that Windows can't store. */
import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startRegistry, svc, temporaryFolder } from "../cli/harness.ts";

const cases = [
  { path: "docs/con.md", reason: "Windows reserves for a device" },
  { path: "docs/a:b.md", reason: "it has the character :" },
  { path: "docs/end. ", reason: "ends with a dot or a space" },
];

describe("svc install on Windows", () => {
  for (const { path, reason } of cases)
    it(`names ${JSON.stringify(path)} before anything is written`, async (t) => {
      const home = await temporaryFolder(t);
      await mkdir(join(home, ".cursor"));
      const files = { "SKILL.md": { data: "---\nname: kit\n---\nx\n" }, [path]: { data: "x\n" } };
      const asked: string[] = [];
      const url = await startRegistry(
        t,
        [{ slug: "kit", publicId: "kit0000000", name: "kit", versions: [{ semver: "1.0.0", files }] }],
        (_request, _response, { pathname }) => {
          asked.push(pathname);
          return false;
        },
      );
      const env = { SVC_API_URL: url, SVC_TOKEN: `lsk_${"ab".repeat(32)}` };
      const install = (platform: NodeJS.Platform) =>
        svc(["install", "kit", "-t", "cursor", "-g", "-o", "json"], { home, env, platform });

      const refused = await install("win32");
      const written = (await readdir(home, { recursive: true })).filter((name) => name.includes("kit"));
      const wasDownloaded = asked.some((each) => each.endsWith("/package"));
      const elsewhere = await install("linux");

      assert.deepEqual([refused.code, refused.error.code], [1, "E_PACK_FAILED"]);
      assert.ok(refused.error.message.includes(`of acme/kit: `), refused.error.message);
      assert.ok(refused.error.message.includes(reason), refused.error.message);
      assert.equal(refused.error.details?.["ref"], path);
      assert.deepEqual([written, wasDownloaded], [[], false]);
      assert.equal(elsewhere.code, 0, elsewhere.stderr);
    });
});
