import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import type { ContentPayload, ManifestPayload } from "../../contract/payloads/skills/skills.ts";
import { readZip } from "../../repos/archive/index.ts";
import { packageFiles as files, publishPackage, zipOf } from "../support/package-files.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { skillMd } from "../support/zip.ts";

const { service, owner, org } = await setUpOrganization();

const publish = (fields: object = {}, content = files) =>
  publishPackage(service, owner, org, fields, content);
const encoded = (name: string) => name.split("/").map(encodeURIComponent).join("/");

/** A GET that does not normalize the path as fetch would; resolves to the status line, headers and raw bytes. */
function plain(target: string, headers: Record<string, string> = {}, method = "GET") {
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; bytes: Buffer }>(
    (resolve, reject) => {
      const { hostname, port } = new URL(service.url);
      const request = http.request(
        {
          hostname,
          port,
          path: target,
          method,
          headers: { authorization: `Bearer ${owner.token}`, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              bytes: Buffer.concat(chunks),
            }),
          );
        },
      );
      request.on("error", reject);
      request.end();
    },
  );
}

describe("reading a package", () => {
  it("returns a zip of identical bytes each time, with the published files", async () => {
    const { skill, version } = await publish();
    const target = `/api/skills/${skill.id}/package`;

    const [first, second] = [await plain(target), await plain(target)];
    const twin = await publish();
    const other = await plain(`/api/skills/${twin.skill.id}/package`);

    assert.equal(first.status, 200);
    assert.equal(first.headers["content-type"], "application/zip");
    assert.equal(first.headers["content-length"], String(first.bytes.length));
    assert.equal(
      first.headers["content-disposition"],
      `attachment; filename="${skill.slug}-${version.semver}.zip"`,
    );
    assert.deepEqual(first.bytes, second.bytes);
    assert.deepEqual(first.bytes, other.bytes);
    const folder = mkdtempSync(path.join(os.tmpdir(), "svc-read-"));
    try {
      writeFileSync(path.join(folder, "p.zip"), first.bytes);
      const read = await readZip(path.join(folder, "p.zip"));
      assert.deepEqual(Object.fromEntries(read.map((file) => [file.path, file.data])), { ...files });
      assert.equal(read.find((file) => file.path === "run")!.mode, "100755");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("returns its SKILL.md as content, and its file list with sizes and digests", async () => {
    const { skill, version } = await publish();

    const content = await service.call<ContentPayload>("GET", `/api/skills/${skill.id}/content`, {
      token: owner.token,
    });
    const manifest = await service.call<ManifestPayload>("GET", `/api/skills/${skill.id}/manifest`, {
      token: owner.token,
    });

    assert.equal(content.data.content, skillMd("reading"));
    assert.equal(content.data.format, "package");
    assert.equal(content.data.hash, version.hash);
    assert.deepEqual(
      Object.fromEntries(manifest.data.files.map((file) => [file.path, [file.size, file.sha256]])),
      Object.fromEntries(
        Object.entries(files).map(([name, data]) => [
          name,
          [data.length, createHash("sha256").update(data).digest("hex")],
        ]),
      ),
    );
    assert.equal(manifest.data.commit, version.commit);
  });

  it("returns single files under names of any kind, none of which a browser would execute", async () => {
    const { skill } = await publish();

    for (const [name, data] of Object.entries(files)) {
      const read = await plain(`/api/skills/${skill.id}/files/${encoded(name)}`);
      assert.equal(read.status, 200, name);
      assert.deepEqual(read.bytes, data, name);
      assert.equal(read.headers["content-length"], String(data.length));
      assert.equal(read.headers["x-content-type-options"], "nosniff");
      assert.match(String(read.headers["content-security-policy"]), /default-src 'none'/);
    }
    const typeOf = async (name: string) => {
      const { headers } = await plain(`/api/skills/${skill.id}/files/${encoded(name)}`);
      return `${headers["content-type"]} ${headers["content-disposition"]!.split(";")[0]}`;
    };
    assert.equal(await typeOf("page.html"), "application/octet-stream attachment");
    assert.equal(await typeOf("image.svg"), "image/svg+xml inline");
    const drawing = await plain(`/api/skills/${skill.id}/files/image.svg`);
    assert.match(String(drawing.headers["content-security-policy"]), /default-src 'none';.*; sandbox$/);
    assert.doesNotMatch(String(drawing.headers["content-security-policy"]), /script|allow-/);
    assert.equal(await typeOf("docs/100% sure+.txt"), "text/plain; charset=utf-8 inline");
    assert.equal(
      (await plain(`/api/skills/${skill.id}/files/docs%2F100%25%20sure+.txt`)).status,
      200,
      "an encoded slash is a slash",
    );
  });

  it("returns files whose ending is the name of a property of every object", async () => {
    const odd = { ...files, "x.constructor": Buffer.from("x"), "y.valueOf": Buffer.from("y") };
    const { skill } = await publish({}, odd);

    for (const name of ["x.constructor", "y.valueOf"]) {
      const read = await plain(`/api/skills/${skill.id}/files/${name}`);
      assert.deepEqual([read.status, read.headers["content-type"]], [200, "application/octet-stream"], name);
    }
  });

  it("returns 404 for every other path", async () => {
    const { skill } = await publish();

    for (const name of [
      "missing.md",
      "docs",
      "docs/",
      "skill.md",
      "SKILL.md/",
      "SKILL.md/x",
      "/SKILL.md",
      "../SKILL.md",
      "docs/../SKILL.md",
      "..%2f..%2fHEAD",
      "%2e%2e/SKILL.md",
      "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
      ".git/config",
      "docs%00",
      "%ff",
      "%",
      "a".repeat(5000),
      "x/".repeat(1000),
      "",
    ]) {
      const read = await plain(`/api/skills/${skill.id}/files/${name}`);
      assert.ok([400, 404].includes(read.status), `${name.slice(0, 50)}: ${read.status}`);
      assert.equal((JSON.parse(read.bytes.toString()) as { success: boolean }).success, false);
    }
  });
});

describe("caching of reads", () => {
  it("is permanent for fixed versions, and requires revalidation by a strong ETag for current ones", async () => {
    const { skill, version } = await publish({ visibility: "public" });

    for (const what of ["content", "package", "manifest", "files/SKILL.md"]) {
      const fixed = await plain(`/api/skills/${skill.id}/${what}?version=1`);
      const exact = await plain(`/api/skills/${skill.id}/${what}?semver=1.0.0`);
      const ranged = await plain(`/api/skills/${skill.id}/${what}?range=%5E1.0.0`);
      const current = await plain(`/api/skills/${skill.id}/${what}`);

      assert.equal(fixed.headers["cache-control"], "public, max-age=31536000, immutable", what);
      assert.equal(exact.headers["cache-control"], fixed.headers["cache-control"]);
      assert.equal(ranged.headers["cache-control"], "public, no-cache");
      assert.equal(current.headers["cache-control"], "public, no-cache");
      assert.match(String(fixed.headers["etag"]), /^"[\w-]+"$/);
      assert.equal(current.headers["etag"], fixed.headers["etag"]);
      assert.match(String(fixed.headers["vary"]), /Authorization/);
    }
    const content = await plain(`/api/skills/${skill.id}/content`);
    assert.ok(
      String(content.headers["etag"]).includes(version.hash),
      "the tag is made of the content's hash",
    );
    const own = await publish({ visibility: "unlisted" });
    for (const query of ["", "?version=1"]) {
      const read = await plain(`/api/skills/${own.skill.id}/content${query}`);
      assert.match(String(read.headers["cache-control"]), /^private, /);
    }
  });

  it("returns 304 for a matching ETag, and 200 after a push", async () => {
    const { skill } = await publish();

    for (const what of ["content", "package", "manifest", "files/SKILL.md"]) {
      const target = `/api/skills/${skill.id}/${what}`;
      const etag = String((await plain(target)).headers["etag"]);
      for (const held of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = await plain(target, { "if-none-match": held });
        assert.deepEqual(
          [again.status, again.bytes.length, again.headers["etag"]],
          [304, 0, etag],
          `${what} ${held}`,
        );
      }
      for (const held of ['"other"', etag.slice(0, -2), ""])
        assert.equal((await plain(target, { "if-none-match": held })).status, 200, `${what} ${held}`);
    }
    const tag = String((await plain(`/api/skills/${skill.id}/content`)).headers["etag"]);
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { uploadId: await service.upload(owner, zipOf({ ...files, "new.md": Buffer.from("x") })) },
    });
    assert.equal((await plain(`/api/skills/${skill.id}/content`, { "if-none-match": tag })).status, 200);
    assert.equal(
      (await plain(`/api/skills/${skill.id}/content?version=1`, { "if-none-match": tag })).status,
      304,
    );
  });

  it("does not return 304 to a caller who may not read", async () => {
    const { skill } = await publish();
    const etag = String((await plain(`/api/skills/${skill.id}/content`)).headers["etag"]);

    const stranger = await service.newUser();
    const asked = await service.raw("GET", `/api/skills/${skill.id}/content`, {
      token: stranger.token,
      headers: { "if-none-match": etag },
    });

    assert.equal(asked.status, 404);
    assert.equal(asked.headers.get("etag"), null);
    assert.equal(asked.headers.get("cache-control"), "no-store");
  });

  it("returns the headers of GET for HEAD, without a body", async () => {
    const { skill } = await publish();

    for (const what of ["content", "package", "manifest", "files/run"]) {
      const target = `/api/skills/${skill.id}/${what}`;
      const [head, get] = [await plain(target, {}, "HEAD"), await plain(target)];
      assert.deepEqual([head.status, head.bytes.length], [200, 0], what);
      for (const name of ["etag", "content-type", "cache-control", "content-length"])
        assert.equal(head.headers[name], get.headers[name], `${what} ${name}`);
    }
  });

  it("uses a weak ETag for compressed bodies, or none", async () => {
    const { skill } = await publish(
      {},
      { "SKILL.md": Buffer.from(`${skillMd("big")}${"words ".repeat(2000)}`) },
    );
    const target = `/api/skills/${skill.id}/content`;

    const squeezed = await plain(target, { "accept-encoding": "gzip" });
    const open = await plain(target);

    assert.equal(squeezed.headers["content-encoding"], "gzip");
    assert.equal(open.headers["content-encoding"], undefined);
    assert.notEqual(squeezed.headers["etag"], open.headers["etag"]);
    assert.match(String(squeezed.headers["vary"]), /Accept-Encoding/);
    const again = await plain(target, {
      "accept-encoding": "gzip",
      "if-none-match": String(squeezed.headers["etag"]),
    });
    assert.equal(again.status, 304);
  });

  it("sends a compressed body that is kept in memory only while the response stays the same", async () => {
    const { skill } = await publish(
      {},
      { "SKILL.md": Buffer.from(`${skillMd("kept")}${"words ".repeat(2000)}`) },
    );
    const read = async () => {
      const { headers, bytes } = await plain(`/api/skills/${skill.id}/content`, {
        "accept-encoding": "gzip",
      });
      const data = (JSON.parse(gunzipSync(bytes).toString("utf8")) as { data: ContentPayload }).data;
      return { headers, bytes, description: data.skill.description };
    };

    const [first, second] = [await read(), await read()];
    const changed = await service.call("PUT", `/api/skills/${skill.id}`, {
      token: owner.token,
      body: { description: "Another description." },
    });
    const third = await read();

    assert.equal(changed.status, 200, changed.error);
    assert.deepEqual(second.bytes, first.bytes);
    for (const name of ["etag", "content-type", "content-encoding", "vary"])
      assert.equal(second.headers[name], first.headers[name], name);
    assert.equal(third.description, "Another description.");
  });
});
