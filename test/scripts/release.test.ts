/** The files of a release, made from this checkout, and a service that runs from them alone. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { releaseParts } from "../../scripts/release-parts.mjs";
import { testDatabase } from "../support/engine.ts";
import { root } from "../support/root.ts";
import { isLong } from "../support/run-count.ts";
import { removeFolder, startServer, temporaryFolder } from "../support/server.ts";

/** Relative links in the Markdown files of a folder's parts whose targets these parts don't contain. */
function brokenLinks(folder: string, parts: readonly string[]): string[] {
  const documents = parts.flatMap((part) =>
    statSync(path.join(folder, part)).isFile()
      ? [part]
      : readdirSync(path.join(folder, part), { recursive: true, encoding: "utf8" }).map((name) =>
          path.join(part, name),
        ),
  );
  return documents
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) =>
      Array.from(
        readFileSync(path.join(folder, name), "utf8").matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g),
        ([, link]) => ({
          name,
          link: link!,
        }),
      ),
    )
    .filter(({ link }) => !/^[a-z]+:/.test(link))
    .filter(({ name, link }) => {
      const target = path.join(path.dirname(name), link);
      return !parts.includes(target.split(path.sep)[0]!) || !existsSync(path.join(folder, target));
    })
    .map(({ name, link }) => `${name}: ${link}`);
}

describe("the documents of a release", () => {
  it("link only to files that the release contains", () => {
    assert.deepEqual(brokenLinks(root, releaseParts), []);
  });
});

const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };

if (isLong)
  describe("the files of a release", () => {
    const folder = temporaryFolder("release");
    const read = (name: string) => readFileSync(path.join(folder, name));
    before(() => {
      const script = path.join(root, "scripts/release.mjs");
      execFileSync(process.execPath, [script, "--draft", "--cpu=x64", folder], { stdio: "ignore" });
    });
    after(() => removeFolder(folder));

    it("are named with their checksums, in the statement of provenance as well", () => {
      const sums = new Map(
        read("SHA256SUMS")
          .toString()
          .trim()
          .split("\n")
          .map((line) => line.split("  ").toReversed() as [string, string]),
      );
      assert.deepEqual(readdirSync(folder).toSorted(), [...sums.keys(), "SHA256SUMS"].toSorted());
      for (const [name, sum] of sums)
        assert.equal(createHash("sha256").update(read(name)).digest("hex"), sum, name);

      const statement = JSON.parse(read(`svc-${version}.provenance.json`).toString()) as {
        subject: { name: string; digest: { sha256: string } }[];
        predicate: { buildDefinition: { resolvedDependencies: { digest: object }[] } };
      };
      for (const { name, digest } of statement.subject) assert.equal(digest.sha256, sums.get(name), name);
      const gitCommit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root }).toString().trim();
      assert.deepEqual(statement.predicate.buildDefinition.resolvedDependencies[0]!.digest, { gitCommit });
    });

    it("list the packages that the archive contains", () => {
      const { components } = JSON.parse(read(`svc-service-${version}.cdx.json`).toString()) as {
        components: { purl: string }[];
      };
      const listed = new Set(components.map(({ purl }) => decodeURIComponent(purl)));
      const lock = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
        packages: Record<string, { version: string; dev?: boolean }>;
      };
      const packages = Object.entries(lock.packages).filter(([place]) => place !== "");
      for (const [place, { version: number, dev = false }] of packages) {
        const purl = `pkg:npm/${place.split("node_modules/").at(-1)}@${number}`;
        if (!dev) assert.ok(listed.has(purl), purl);
      }
      assert.ok(![...listed].some((purl) => purl.includes("/typescript@")), "no development package");
    });

    it("contain a service that starts without npm and the sources", async () => {
      const [archive] = readdirSync(folder).filter((name) => name.endsWith("-linux-x64.tar.gz"));
      execFileSync("tar", ["--extract", "--file", path.join(folder, archive!), "--directory", folder]);
      const unpacked = path.join(folder, `svc-${version}`);
      assert.ok(!existsSync(path.join(unpacked, "src")) && !existsSync(path.join(unpacked, "dist/tests")));
      assert.deepEqual(brokenLinks(unpacked, releaseParts), []);

      const { url, name } = await testDatabase();
      const env = { MONGODB_URL: url, MONGODB_DATABASE: name };
      const server = await startServer({ dataDir: path.join(folder, "data"), checkout: unpacked, env });
      try {
        const { data } = (await (await fetch(`${server.url}/healthz`)).json()) as {
          data: { version: string };
        };
        assert.equal(data.version, version);
        assert.equal((await fetch(`${server.url}/explore`)).status, 200);
        assert.equal((await fetch(`${server.url}/cli/svc.tgz`)).status, 200);
      } finally {
        await server.stop();
      }
    });
  });
