import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unzipSync } from "fflate";
import { limits } from "../../contract/limits.ts";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";
import { skillMd } from "../support/zip.ts";
import {
  indexPath,
  publishPackage,
  pushPackage,
  sha256,
  type IndexedSkill,
  type ReachFixture,
} from "./fixture.ts";

const { service, owner, org } = await setUpOrganization();
const fixture: ReachFixture = { service, owner, org };

async function read(path: string, headers: Record<string, string> = {}) {
  const response = await service.raw("GET", path, { headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

async function readIndex(address: string): Promise<IndexedSkill[]> {
  const { status, bytes } = await read(indexPath(address));
  assert.ok(status === 200 || status === 404, `${address}: ${status} ${textOf(bytes)}`);
  if (status === 404) return [];
  const { $schema, skills } = JSON.parse(textOf(bytes)) as { $schema: string; skills: IndexedSkill[] };
  assert.equal($schema, "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
  return skills;
}
const namesIn = async (address: string) => (await readIndex(address)).map(({ name }) => name).toSorted();

/** An organization of its own, so that the index has what a test publishes. */
async function ownFixture(): Promise<ReachFixture> {
  return { service, ...(await newOrganization(service)) };
}

describe("the index of an organization", () => {
  it("does not exist without a public skill, like that of an unknown organization", async () => {
    const empty = await ownFixture();
    await publishSkill(service, empty.org, empty.owner, { name: "Private" });
    await publishSkill(service, empty.org, empty.owner, { name: "Unlisted", visibility: "unlisted" });
    await publishSkill(service, empty.org, empty.owner, { name: "Rule", type: "rule", visibility: "public" });

    for (const form of ["agent-skills", "skills"]) {
      const [ours, none] = [indexPath(`/${empty.org.slug}`, form), indexPath("/nobody", form)];
      const [first, second] = [await read(ours), await read(none)];
      assert.deepEqual([first.status, second.status], [404, 404]);
      const withoutId = ({ bytes }: typeof first, path: string) =>
        textOf(bytes)
          .replace(path, "")
          .replace(/"requestId":"[^"]*"/, "");
      assert.equal(withoutId(first, ours), withoutId(second, none));
    }
  });

  it("lists public skills with version and digest of a zip that has exactly the files", async () => {
    const made = await publishPackage(fixture, "release-notes");
    await publishSkill(service, org, owner, {
      name: "Text",
      content: "---\nname: text\ndescription: A text.\n---\n# Text\n",
      visibility: "public",
    });

    const skills = await readIndex(`/${org.slug}`);

    assert.deepEqual(skills.map(({ name }) => name).toSorted(), ["release-notes", "text"]);
    const entry = skills.find(({ name }) => name === "release-notes")!;
    assert.deepEqual(
      [entry.type, entry.description, entry.version, entry.url],
      [
        "archive",
        "Does things.",
        made.currentSemver,
        `/${org.slug}/.well-known/agent-skills/release-notes/${made.currentSemver}.zip`,
      ],
    );
    for (const { url, digest } of skills) {
      const zip = await read(url);
      assert.equal(zip.headers.get("content-type"), "application/zip");
      assert.equal(sha256(zip.bytes), digest);
    }
    const files = unzipSync((await read(entry.url)).bytes);
    assert.deepEqual(Object.keys(files).toSorted(), ["SKILL.md", "scripts/run.sh"]);
    assert.equal(textOf(files["SKILL.md"]!), skillMd("release-notes"));
  });

  it("has the same digest for the same files wherever they are published", async () => {
    const other = await ownFixture();
    await publishPackage(other, "release-notes");

    const [one] = await readIndex(`/${other.org.slug}`);
    const two = (await readIndex(`/${org.slug}`)).find(({ name }) => name === "release-notes")!;

    assert.equal(one!.digest, two.digest);
    // Clients keep it: a new release of a library must not change it.
    assert.equal(one!.digest, "sha256:5560c23a017d6f04da92aacae94a818e9e8d3e03612c3cace87aa027a62e15ae");
  });

  it("is answered with 304 to its entity tag, to HEAD without a body, and to pages of any origin", async () => {
    const path = indexPath(`/${org.slug}`);
    const first = await read(path, { origin: "https://elsewhere.example" });
    const etag = first.headers.get("etag")!;
    const again = await read(path, { "if-none-match": etag });
    const head = await service.raw("HEAD", path);

    assert.equal(first.headers.get("content-type"), "application/json");
    assert.equal(first.headers.get("access-control-allow-origin"), "*");
    assert.equal(first.headers.get("access-control-allow-credentials"), null);
    assert.equal(first.headers.get("cache-control"), "public, no-cache");
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
    assert.deepEqual([head.status, (await head.arrayBuffer()).byteLength], [200, 0]);
    assert.equal(head.headers.get("etag"), etag);
  });

  it("is the same for members, whose credentials are ignored", async () => {
    const member = await newMember(service, org, "member");
    await publishSkill(service, org, owner, { name: "For members" });
    const [anyone, signedIn] = [
      await read(indexPath(`/${org.slug}`)),
      await read(indexPath(`/${org.slug}`), { authorization: `Bearer ${member.token}` }),
    ];

    assert.equal(textOf(signedIn.bytes), textOf(anyone.bytes));
    const broken = await read(indexPath(`/${org.slug}`), { authorization: "Bearer of another service" });
    assert.equal(broken.status, 200);
  });

  it("shows each change at once", async () => {
    const own = await ownFixture();
    const folder = await newFolder(service, own.org, own.owner, "Shelf");
    const skill = await publishPackage(own, "changing", { folder: "Shelf" });
    await publishPackage(own, "staying");
    const address = `/${own.org.slug}`;
    const zip = `${address}/changing.zip`;
    const { token } = own.owner;
    const isThere = async () => {
      const [names, direct, file] = [
        await namesIn(address),
        await read(zip),
        await read(`${address}/changing/SKILL.md`),
      ];
      assert.equal(direct.status, file.status);
      assert.deepEqual(names.includes("changing"), direct.status === 200, `${names.join()} ${direct.status}`);
      const ofSkill = await namesIn(`${address}/changing`);
      assert.deepEqual(ofSkill, direct.status === 200 ? ["changing"] : []);
      return direct.status === 200;
    };
    assert.equal(await isThere(), true);

    await pushPackage(own, skill.id, "changing", { "notes.md": "New.\n" });
    const [entry] = (await readIndex(address)).filter(({ name }) => name === "changing");
    assert.equal(entry!.version, "1.0.1");
    assert.equal(sha256((await read(zip)).bytes), entry!.digest);

    await service.call("PUT", `/api/skills/${skill.id}`, { token, body: { visibility: "private" } });
    assert.equal(await isThere(), false);
    await service.call("PUT", `/api/skills/${skill.id}`, { token, body: { visibility: "public" } });
    assert.equal(await isThere(), true);
    await restrict(service, own.owner, folder.id, []);
    assert.equal(await isThere(), false);
    await restrict(service, own.owner, folder.id, [], false);
    await service.settled();
    assert.equal(await isThere(), true);
    const takedown = await service.call("POST", `/api/admin/skills/${skill.id}/take-down`, {
      token: owner.token,
      body: { reason: "A test." },
    });
    assert.equal(takedown.status, 200, JSON.stringify(takedown.body));
    assert.equal(await isThere(), false);
    await service.call("DELETE", `/api/skills/${skill.id}`, { token });
    assert.equal(await isThere(), false);
  });

  it("is found by a previous slug of the organization", async () => {
    const own = await ownFixture();
    await publishPackage(own, "moving");
    const slug = `${own.org.slug}-new`;
    await service.call("PATCH", `/api/tenants/${own.org.id}`, { token: own.owner.token, body: { slug } });

    const [before, after] = [await readIndex(`/${own.org.slug}`), await readIndex(`/${slug}`)];

    assert.deepEqual(before, after);
    assert.equal(before[0]!.url, `/${slug}/.well-known/agent-skills/moving/1.0.0.zip`);
  });

  it("has at most a hundred skills: the most downloaded ones, or those of the chosen collection in its order", async () => {
    const own = await ownFixture();
    for (let n = 0; n < 3; n++) await publishPackage(own, `skill-${n}`);
    await service.settled();
    // The copies share a version, whose facts are known then.
    assert.equal((await readIndex(`/${own.org.slug}`)).length, 3);
    const { raw } = service.app.storage.database;
    const skills = raw.collection<{ _id: string; slug: string }>("skills");
    const template = (await skills.findOne({ tenantId: own.org.id }))!;
    const copies = Array.from({ length: limits.indexedSkills }, (_, n) => ({
      ...template,
      _id: service.app.newId(),
      publicId: service.app.newId().slice(-10),
      slug: `copy-${n}`,
    }));
    await skills.insertMany(copies);
    await skills.updateOne({ tenantId: own.org.id, slug: "skill-2" }, { $set: { downloads: 9 } });

    const most = await readIndex(`/${own.org.slug}`);

    assert.equal(most.length, limits.indexedSkills);
    assert.equal(most[0]!.name, "skill-2");
    const bySlug = await skills.find({ tenantId: own.org.id }).toArray();
    const wanted = ["copy-7", "skill-1", "copy-3"].map(
      (slug) => bySlug.find((one) => one.slug === slug)!._id,
    );
    const { token } = own.owner;
    const body = { name: "Few", skills: wanted };
    const collection = await service.call<{ id: string }>(
      "POST",
      `/api/tenants/${own.org.slug}/collections`,
      {
        token,
        body,
      },
    );
    const choose = (slug: string | null) =>
      service.call("PUT", `/api/tenants/${own.org.slug}/skill-index`, { token, body: { collection: slug } });
    assert.equal((await choose("none")).status, 404);
    assert.equal((await choose("few")).status, 200);
    const few = await readIndex(`/${own.org.slug}`);
    assert.deepEqual(
      few.map(({ name }) => name),
      ["copy-7", "skill-1", "copy-3"],
    );
    await service.call("DELETE", `/api/tenants/${own.org.slug}/collections/${collection.data.id}`, { token });
    assert.equal((await readIndex(`/${own.org.slug}`)).length, limits.indexedSkills);
  });

  it("leaves out a name that the standard does not accept, and a skill that clients can't unpack", async () => {
    const own = await ownFixture();
    const name = `${"a".repeat(61)}-bb`;
    await publishPackage(own, "small");
    for (let n = 0; n < 2; n++)
      await publishSkill(service, own.org, own.owner, {
        name: n === 0 ? name : `${name} `.toUpperCase(),
        content: "---\ndescription: Some text.\n---\n# Text\n",
        visibility: "public",
        mode: "create",
        folder: n === 0 ? undefined : "Other",
        createFolders: true,
      }).catch(() => undefined);
    const { raw } = service.app.storage.database;
    await raw
      .collection("skills")
      .updateOne({ tenantId: own.org.id, slug: name }, { $set: { slug: "odd--name" } });

    assert.deepEqual(await namesIn(`/${own.org.slug}`), ["small"]);
    assert.deepEqual(await namesIn(`/${own.org.slug}/odd--name`), []);
  });

  it("lists the files in the older form, with the version", async () => {
    const { bytes } = await read(indexPath(`/${org.slug}`, "skills"));
    const { skills } = JSON.parse(textOf(bytes)) as {
      skills: { name: string; files: string[]; version: string }[];
    };
    const entry = skills.find(({ name }) => name === "release-notes")!;

    assert.deepEqual([entry.files, entry.version], [["SKILL.md", "scripts/run.sh"], "1.0.0"]);
    const base = `/${org.slug}/.well-known/skills/release-notes`;
    assert.equal(textOf((await read(`${base}/SKILL.md`)).bytes), skillMd("release-notes"));
    assert.equal(textOf((await read(`${base}/scripts/run.sh`)).bytes), "echo hi\n");
    assert.equal((await read(`${base}/missing.txt`)).status, 404);
    assert.equal((await read(`/${org.slug}/.well-known/skills/for-members/SKILL.md`)).status, 404);
  });
});

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
    assert.equal((await setRoot(null)).data.rootCollection, null);
    assert.equal((await read(indexPath(""))).status, 404);
  });
});
