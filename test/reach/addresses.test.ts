import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unzipSync } from "fflate";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { skillMd } from "../support/zip.ts";
import {
  indexPath,
  openReader,
  publishPackage,
  pushPackage,
  sha256,
  textOf,
  type ReachFixture,
} from "./fixture.ts";

const { service, owner, org } = await setUpOrganization();
const fixture: ReachFixture = { service, owner, org };
const { namesIn, ownFixture, read, readIndex } = openReader(service);
await publishPackage(fixture, "release-notes");

describe("the addresses of a public skill", () => {
  it("have its SKILL.md, its zip and that of a version", async () => {
    const own = await ownFixture();
    const skill = await publishPackage(own, "direct");
    await pushPackage(own, skill.id, "direct", { "more.md": "More.\n" });
    const base = `/${own.org.slug}/direct`;

    const [text, current, first] = [
      await read(`${base}/SKILL.md`),
      await read(`${base}.zip`),
      await read(`${base}/1.0.0.zip`),
    ];

    assert.match(text.headers.get("content-type")!, /^text\/markdown/);
    assert.equal(textOf(text.bytes), skillMd("direct"));
    assert.deepEqual(Object.keys(unzipSync(current.bytes)).toSorted(), ["SKILL.md", "more.md"]);
    assert.deepEqual(Object.keys(unzipSync(first.bytes)).toSorted(), ["SKILL.md", "scripts/run.sh"]);
    const again = await read(`${base}.zip`, { "if-none-match": current.headers.get("etag")! });
    assert.equal(again.status, 304);
    for (const path of [
      `${base}/9.9.9.zip`,
      `${base}/latest.zip`,
      `/${own.org.slug}/none.zip`,
      `/settings/x.zip`,
    ])
      assert.equal((await read(path)).status, 404, path);
  });

  it("have an index of their own each, so that a root index does not hide them", async () => {
    for (const address of ["release-notes", "release-notes/SKILL.md", "release-notes.zip"])
      assert.deepEqual(await namesIn(`/${org.slug}/${address}`), ["release-notes"]);
    const [pinned] = await readIndex(`/${org.slug}/release-notes/1.0.0.zip`);
    assert.equal(pinned!.url, `/${org.slug}/release-notes/1.0.0.zip`);
    const [alone] = await readIndex(`/${org.slug}/release-notes`);
    const [listed] = await readIndex(`/${org.slug}`);
    for (const entry of [alone!, listed!, pinned!]) {
      assert.equal(sha256((await read(entry.url)).bytes), entry.digest);
      assert.equal((await readIndex(entry.url)).length, 1);
    }
    const file = `/${org.slug}/release-notes/.well-known/skills/release-notes/SKILL.md`;
    assert.equal((await read(file)).status, 200);
  });

  it("are no pages of the dashboard for programs", async () => {
    for (const path of ["nothing", "settings", "versions", "files/SKILL.md", ".well-known/other"]) {
      const answer = await read(`/${org.slug}/release-notes/${path}`, { accept: "*/*" });
      assert.equal(answer.status, 404, path);
    }
  });

  it("count a download, but not one of all zips of an index", async () => {
    const own = await ownFixture();
    const skill = await publishPackage(own, "counted");
    const base = `/${own.org.slug}/counted`;
    const [entry] = await readIndex(`/${own.org.slug}`);

    await read(entry!.url);
    await read(`${base}.zip`);
    await read(`${base}/1.0.0.zip`);
    await read(`${base}/SKILL.md`);
    await service.raw("HEAD", `${base}.zip`);
    flushDownloads(service.app);
    await service.settled();

    const { data } = await service.call<{ downloads: number }>("GET", `/api/skills/${skill.id}`, {
      token: own.owner.token,
    });
    assert.equal(data.downloads, 3);
  });
});

describe("the configuration for OpenCode", () => {
  it("has the skills and the MCP endpoint of an organization with public skills, and no secret", async () => {
    const { status, bytes } = await read(`/${org.slug}/.well-known/opencode`);
    assert.equal(status, 200);
    const { auth, config } = JSON.parse(textOf(bytes)) as {
      auth: { command: string[]; env: string };
      config: { skills: { urls: string[] }; mcp: Record<string, { type: string; url: string }> };
    };
    const { baseUrl } = service.app.config;
    assert.deepEqual(auth.command, ["echo", "public"]);
    assert.deepEqual(config.skills.urls, [`${baseUrl}/${org.slug}/.well-known/skills/`]);
    assert.deepEqual(config.mcp, { svc: { type: "remote", url: `${baseUrl}/mcp`, enabled: true } });
    const base = `/api/tenants/${org.slug}`;
    const { token } = owner;
    for (const [name, url] of [
      ["Open server", "https://mcp.example.com/mcp"],
      ["With a value", "https://mcp.example.com/{tenant}"],
    ])
      await service.call("POST", `${base}/mcp-servers`, {
        token,
        body: {
          name,
          transport: "http",
          url,
          variables: url!.includes("{")
            ? [{ name: "tenant", kind: "member", label: "Tenant", required: true }]
            : [],
        },
      });
    await service.call("PUT", `${base}/mcp-registry`, { token, body: { enabled: true } });
    const offered = JSON.parse(textOf((await read(`/${org.slug}/.well-known/opencode`)).bytes)) as {
      config: { mcp: object };
    };
    assert.deepEqual(Object.keys(offered.config.mcp), ["svc", "open-server"]);
    const empty = await ownFixture();
    assert.equal((await read(`/${empty.org.slug}/.well-known/opencode`)).status, 404);
  });
});

describe("the index at the root", () => {
  const setRoot = (rootCollection: string | null) =>
    service.call<{ rootCollection: string | null }>("PATCH", "/api/admin/settings", {
      token: owner.token,
      body: { rootCollection, reason: "A test." },
    });

  it("exists only while administrators have chosen a public collection", async () => {
    assert.equal((await read(indexPath(""))).status, 404);
    const own = await ownFixture();
    const skill = await publishPackage(own, "chosen");
    await publishPackage(own, "other");
    const body = { name: "Picks", public: true, skills: [skill.id] };
    const path = `/api/tenants/${own.org.slug}/collections`;
    await service.call("POST", path, { token: own.owner.token, body });
    assert.equal((await setRoot(`${own.org.slug}/missing`)).status, 404);

    const set = await setRoot(`${own.org.slug}/picks`);

    assert.equal(set.data.rootCollection, `${own.org.slug}/picks`, JSON.stringify(set.body));
    assert.deepEqual(await namesIn(""), ["chosen"]);
    assert.equal((await read(indexPath("", "skills"))).status, 200);
    assert.equal((await read("/.well-known/skills/chosen/SKILL.md")).status, 200);
    assert.equal((await read("/.well-known/skills/other/SKILL.md")).status, 404);
    await service.call("PATCH", `${path}/picks`, { token: own.owner.token, body: { public: false } });
    assert.equal((await read(indexPath(""))).status, 404);
    assert.equal((await setRoot(`${own.org.slug}/picks`)).status, 404);
    await service.call("PATCH", `${path}/picks`, { token: own.owner.token, body: { public: true } });
    assert.deepEqual(await namesIn(""), ["chosen"]);
    await service.call("PATCH", `${path}/picks`, { token: own.owner.token, body: { public: false } });
    assert.equal((await setRoot(null)).data.rootCollection, null);
    await service.call("PATCH", `${path}/picks`, { token: own.owner.token, body: { public: true } });
    assert.equal((await read(indexPath(""))).status, 404, "no choice comes back");
  });
});
