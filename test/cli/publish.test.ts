import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import yauzl from "yauzl";
import { readPackageFolder } from "../../cli/pack/folder.ts";
import { writeZip } from "../../cli/pack/zip.ts";
import { type Ran, answer, startServer, svc, temporaryFolder } from "./harness.ts";

type Context = Parameters<typeof temporaryFolder>[0];

/** A service that accepts and records everything that is published. */
async function publisher(t: Context, options: { tenants?: number; put?: number; uploadUrl?: string } = {}) {
  const home = await temporaryFolder(t);
  const posts: { path: string; body: Record<string, unknown>; key: unknown }[] = [];
  const uploads: Buffer[] = [];
  const apiUrl = await startServer(t, async (request, response, url) => {
    const bytes = await buffer(request);
    if (url.pathname === "/api/tenants") {
      const tenants = Array.from({ length: options.tenants ?? 1 }, (_, i) => ({
        id: `t${i}`,
        slug: `org-${i}`,
        name: `Org ${i}`,
      }));
      return answer(response, 200, { success: true, data: tenants });
    }
    const version = {
      id: "v",
      skillId: "s",
      version: 1,
      semver: "1.0.0",
      message: "m",
      format: "markdown",
      hash: "0".repeat(64),
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    const skill = {
      publicId: "p",
      slug: "s",
      name: "S",
      description: "",
      type: "skill",
      visibility: "private",
      currentVersion: 1,
      currentSemver: "1.0.0",
      tenantId: "t0",
      tenantSlug: "org-0",
      folderId: null,
    };
    if (url.pathname === "/api/skills/resolve")
      return answer(response, 200, {
        success: true,
        data: { skill: { ...skill, publicId: "pppppppppp" }, version },
      });
    if (request.method === "PUT") {
      uploads.push(bytes);
      const status = options.put ?? 200;
      return answer(
        response,
        status,
        status === 200
          ? { success: true, data: {} }
          : { success: false, error: "No.", code: "upload_mismatch", requestId: "r" },
      );
    }
    const { contentLocation, ...body } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    if (url.pathname.startsWith("/api/skills"))
      assert.match(String(contentLocation), /^folder:[0-9a-f]{32}$/);
    posts.push({ path: url.pathname, body, key: request.headers["idempotency-key"] });
    if (url.pathname === "/api/uploads")
      return answer(response, 201, {
        success: true,
        data: {
          uploadId: "up1",
          url: options.uploadUrl ?? "/api/uploads/up1",
          expiresAt: "2026-01-01T00:00:00.000Z",
        },
      });
    if (url.pathname.endsWith("/versions"))
      return answer(response, 201, { success: true, data: { ...version, unchanged: false, warnings: [] } });
    return answer(response, 201, {
      success: true,
      data: {
        action: "created",
        unchanged: false,
        skill,
        version,
        url: "http://x/s/p",
        ignoredFlags: ["visibility", "type"],
        warnings: [],
      },
    });
  });
  const run = (...argv: string[]): Promise<Ran> =>
    svc([...argv, "-o", "json"], { home, env: { SVC_API_URL: apiUrl, SVC_TOKEN: "lsk_x" } });
  return { home, posts, uploads, run };
}

async function folder(home: string, name = "My Kit"): Promise<string> {
  const path = join(home, name);
  await mkdir(join(path, "scripts"), { recursive: true });
  await mkdir(join(path, ".git"));
  await mkdir(join(path, "node_modules", "x"), { recursive: true });
  await writeFile(join(path, "SKILL.md"), "---\nname: my-kit\ndescription: d\n---\nbody\n");
  await writeFile(join(path, "scripts", "run.sh"), "#!/bin/sh\n");
  await chmod(join(path, "scripts", "run.sh"), 0o755);
  for (const junk of [".git/HEAD", "node_modules/x/y", ".DS_Store"])
    await writeFile(join(path, junk), "junk");
  return path;
}

describe("publish", () => {
  it("sends a text unchanged, under the name from the flag, the frontmatter or the file", async (t) => {
    const { home, posts, run } = await publisher(t);
    const text = "\uFEFF---\nname: 'From: head'\n---\r\nbody\r\n";
    await writeFile(join(home, "a.md"), text);
    await writeFile(join(home, "plain.md"), "body");
    await mkdir(join(home, "in-folder"));
    await writeFile(join(home, "in-folder", "SKILL.md"), "body");

    const ran = await run("publish", "a.md", "--visibility", "public", "-m", "hello", "--create");
    await run("publish", "a.md", "-n", "Flag", "-t", "acme", "-f", "a/b", "-p");
    await run("publish", "plain.md", "--personal", "--update", "--type", "rule");
    await run("publish", "in-folder/SKILL.md");

    assert.deepEqual(
      posts.map((post) => post.body),
      [
        {
          mode: "create",
          tenantId: "t0",
          name: "From: head",
          content: text,
          visibility: "public",
          message: "hello",
        },
        { mode: "upsert", tenantId: "acme", name: "Flag", content: text, folder: "a/b", createFolders: true },
        { mode: "update", tenantId: "t0", name: "plain", content: "body", type: "rule", personal: true },
        { mode: "upsert", tenantId: "t0", name: "in-folder", content: "body" },
      ],
    );
    assert.equal(new Set(posts.map((post) => post.key)).size, 4);
    assert.deepEqual(ran.data, {
      action: "created",
      skill: {
        publicId: "p",
        slug: "s",
        name: "S",
        type: "skill",
        visibility: "private",
        currentVersion: 1,
        currentSemver: "1.0.0",
        tenantId: "t0",
        tenantSlug: "org-0",
        folderId: null,
      },
      url: "http://x/s/p",
      format: "markdown",
      ignoredFlags: ["visibility"],
      unchanged: false,
      warnings: ["--type was ignored: the skill keeps its type skill"],
    });
  });

  it("packs a folder, announces it and uploads exactly that", async (t) => {
    const { home, posts, uploads, run } = await publisher(t);
    await folder(home);

    const ran = await run("publish", "My Kit");

    assert.equal(ran.code, 0, ran.stderr);
    const [zip] = uploads;
    assert.deepEqual(posts[0]!.body, {
      size: zip!.length,
      sha256: createHash("sha256").update(zip!).digest("hex"),
    });
    assert.deepEqual(posts[1]!.body, { mode: "upsert", tenantId: "t0", name: "my-kit", uploadId: "up1" });
    const entries: [string, number][] = [];
    for await (const entry of (await yauzl.fromBufferPromise(zip!, { lazyEntries: true })).eachEntry())
      entries.push([entry.fileName, (entry.externalFileAttributes >>> 16) & 0o777]);
    assert.deepEqual(entries, [
      ["SKILL.md", 0o644],
      ["scripts/run.sh", 0o755],
    ]);
    assert.deepEqual(await readdir(join(home, ".svc", "tmp")), []);
  });

  it("reports a rejected upload as such", async (t) => {
    const { home, run, posts } = await publisher(t, { put: 422 });
    await folder(home);
    const { error } = await run("publish", "My Kit");
    assert.deepEqual([error.code, error.details?.["httpStatus"], posts.length], ["E_UPLOAD_FAILED", 422, 1]);
  });

  it("uploads to the service's own origin only", async (t) => {
    const received: string[] = [];
    const elsewhere = await startServer(t, (request, response) => {
      received.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      answer(response, 200, { success: true, data: {} });
    });
    for (const uploadUrl of [
      `//${new URL(elsewhere).host}/up1`,
      "ftp://127.0.0.1/up1",
      "data:,x",
      "http://",
    ]) {
      const { home, run, posts, uploads } = await publisher(t, { uploadUrl });
      await folder(home);
      const { error } = await run("publish", "My Kit");
      assert.deepEqual([error.code, posts.length, uploads.length], ["E_UPLOAD_FAILED", 1, 0], uploadUrl);
    }
    assert.deepEqual(received, []);
  });

  it("requires --team with several organizations, and at least one organization", async (t) => {
    for (const [tenants, code, detail] of [
      [2, "E_INTERACTION_REQUIRED", { flag: "--team" }],
      [0, "E_NOT_FOUND", { kind: "team" }],
    ] as const) {
      const { home, run } = await publisher(t, { tenants });
      await writeFile(join(home, "a.md"), "x");
      const { error } = await run("publish", "a.md");
      assert.deepEqual([error.code, error.details], [code, detail]);
    }
  });

  it("rejects an invalid skill before it calls the service", async (t) => {
    const { home, posts, uploads, run } = await publisher(t);
    await writeFile(join(home, "empty.md"), " \n");
    await writeFile(join(home, "binary.md"), Buffer.from([0xff, 0xfe, 0]));
    await writeFile(join(home, "nul.md"), "a\0b");
    await writeFile(join(home, "large.md"), "x".repeat(512 * 1024 + 1));
    await mkdir(join(home, "bare"));
    await mkdir(join(home, "nested", "deep", "down", "kit"), { recursive: true });
    await writeFile(join(home, "nested", "deep", "down", "kit", "SKILL.md"), "x");
    await symlink("SKILL.md", join(await folder(home, "linked"), "link.md"));
    await writeFile(join(await folder(home, "twins"), "skill.MD"), "x");
    const many = await folder(home, "many");
    await Promise.all(Array.from({ length: 499 }, (_, i) => writeFile(join(many, `f${i}`), "")));

    for (const [path, code, rule] of [
      ["missing.md", "E_NOT_FOUND", undefined],
      ["empty.md", "E_INVALID_ARGUMENT", "text_empty"],
      ["binary.md", "E_INVALID_ARGUMENT", "text_encoding"],
      ["nul.md", "E_INVALID_ARGUMENT", "text_encoding"],
      ["large.md", "E_INVALID_ARGUMENT", undefined],
      ["bare", "E_PACK_FAILED", "empty"],
      ["nested", "E_PACK_FAILED", "root_file_missing"],
      ["linked", "E_PACK_FAILED", "symlink"],
      ["twins", "E_PACK_FAILED", "duplicate_case"],
      ["many", "E_PACK_FAILED", "too_many_files"],
    ] as const) {
      const { code: exit, error } = await run("publish", path);
      assert.deepEqual([exit, error.code, error.details?.["rule"]], [1, code, rule], path);
    }
    assert.deepEqual([posts.length, uploads.length], [0, 0]);
  });

  for (const [argv, flag] of [
    [["--create", "--update"], "--update"],
    [["--personal", "-f", "x"], "--folder"],
    [["--personal", "-p"], "--parents"],
    [["-p"], "--parents"],
    [["--visibility", "secret"], "--visibility"],
  ] as const)
    it(`rejects ${argv.join(" ")}`, async (t) => {
      const { run } = await publisher(t);
      const { error } = await run("publish", "a.md", ...argv);
      assert.deepEqual([error.code, error.details?.["flag"]], ["E_INVALID_ARGUMENT", flag]);
    });
});

describe("push", () => {
  it("sends bumps, exact versions and prereleases", async (t) => {
    const { home, posts, run } = await publisher(t);
    await writeFile(join(home, "a.md"), "x");

    const ran = await run("push", "a.md", "-s", "acme/s", "--minor", "-m", "why");
    await run("push", "a.md", "-s", "s", "--version", "2.0.0-rc.1");
    await run("push", "--prerelease", "a.md", "-s", "s", "--major");
    await run("push", "a.md", "-s", "s", "--prerelease", "rc");

    assert.deepEqual(
      posts.map((post) => post.body),
      [
        { content: "x", message: "why", bump: "minor" },
        { content: "x", semver: "2.0.0-rc.1" },
        { content: "x", bump: "major", prerelease: true },
        { content: "x", prerelease: "rc" },
      ],
    );
    assert.equal(posts[0]!.path, "/api/skills/pppppppppp/versions");
    assert.deepEqual(ran.data, {
      skillRef: "acme/s",
      skill: { publicId: "pppppppppp", slug: "s", tenantSlug: "org-0", name: "S" },
      version: {
        id: "v",
        skillId: "s",
        version: 1,
        semver: "1.0.0",
        message: "m",
        format: "markdown",
        createdAt: "2026-01-01T00:00:00.000Z",
      },
      unchanged: false,
      warnings: [],
    });
  });

  for (const [argv, flag] of [
    [[], "--skill"],
    [["-s", "s@1.0.0"], "--skill"],
    [["-s", "s", "--version", "1.0"], "--version"],
    [["-s", "s", "--version", "1.0.0+build"], "--version"],
    [["-s", "s", "--minor", "--major"], "--major"],
    [["-s", "s", "--version", "1.0.0", "--patch"], "--patch"],
    [["-s", "s", "--version", "1.0.0", "--prerelease"], "--prerelease"],
    [["-s", "s", "--prerelease=1"], "--prerelease"],
  ] as const)
    it(`rejects ${argv.join(" ") || "no skill"}`, async (t) => {
      const { run } = await publisher(t);
      const { error } = await run("push", "a.md", ...argv);
      assert.deepEqual([error.code, error.details?.["flag"]], ["E_INVALID_ARGUMENT", flag]);
    });
});

describe("a packed folder", () => {
  it("has the same bytes in every time zone", async (t) => {
    const home = await temporaryFolder(t);
    const { files } = await readPackageFolder(await folder(home), "linux");
    const zone = process.env["TZ"];
    const digests = new Set<string>();
    for (const [i, tz] of ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"].entries()) {
      process.env["TZ"] = tz;
      const zip = await writeZip(files, join(home, `${i}.zip`));
      assert.equal(
        createHash("sha256")
          .update(await readFile(zip.path))
          .digest("hex"),
        zip.sha256,
      );
      digests.add(zip.sha256);
    }
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
    assert.equal(digests.size, 1);
  });
});
