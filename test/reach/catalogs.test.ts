/** Marketplaces as JSON documents with zips. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { unzipSync } from "fflate";
import { newMember } from "../support/organization.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";
import { publishPackage } from "./fixture.ts";

const { service, owner, org } = await setUpOrganization();
const fixture = { service, owner, org };
const member = await newMember(service, org, "member");
const { owner: stranger } = await newOrganization(service);

interface Catalog {
  name: string;
  owner: { name: string };
  plugins: {
    name: string;
    version: string;
    strict: boolean;
    skills: string[];
    source: { source: string; url: string; sha256: string };
  }[];
}

const open = `/${org.slug}/claude/marketplace.json`;
const members = `/${org.slug}/-/members/claude/marketplace.json`;

const read = async (path: string, token?: string) => {
  const response = await service.raw("GET", path, { token });
  assert.equal(response.status, 200, path);
  return { catalog: (await response.json()) as Catalog, headers: response.headers };
};

describe("the catalog of a marketplace", () => {
  it("names public zips by their SHA-256", async () => {
    assert.equal((await service.raw("GET", open)).status, 404);
    await publishPackage(fixture, "release-notes");
    const { catalog, headers } = await read(open);
    const [plugin] = catalog.plugins;
    assert.deepEqual([catalog.name, plugin!.name, plugin!.version], [org.slug, "release-notes", "1.0.0"]);
    assert.deepEqual([plugin!.strict, plugin!.skills], [false, ["./"]]);

    const zip = await service.raw("GET", new URL(plugin!.source.url).pathname);
    const bytes = new Uint8Array(await zip.arrayBuffer());
    assert.equal(createHash("sha256").update(bytes).digest("hex"), plugin!.source.sha256);
    assert.ok("SKILL.md" in unzipSync(bytes));
    const again = await service.raw("GET", open, { headers: { "if-none-match": headers.get("etag")! } });
    assert.equal(again.status, 304);
  });

  it("has private skills for members, whose zips need the same right", async () => {
    await publishPackage(fixture, "inside", { visibility: "private" });
    assert.deepEqual(
      await Promise.all(
        [undefined, stranger.token].map(
          async (token) => (await service.raw("GET", members, { token })).status,
        ),
      ),
      [401, 404],
    );
    const { catalog, headers } = await read(members, member.token);
    assert.match(headers.get("cache-control")!, /private/);
    assert.equal(catalog.name, `${org.slug}-members`);
    const plugin = catalog.plugins.find(({ name }) => name === "inside")!;
    const { pathname } = new URL(plugin.source.url);
    const zip = await service.raw("GET", pathname, { token: member.token });
    assert.equal(
      createHash("sha256")
        .update(Buffer.from(await zip.arrayBuffer()))
        .digest("hex"),
      plugin.source.sha256,
    );
    assert.equal((await service.raw("GET", pathname)).status, 401);
    assert.equal((await service.raw("GET", pathname, { token: stranger.token })).status, 404);
    const missing = pathname.replace("inside", "nothing");
    assert.equal((await service.raw("GET", missing)).status, 401);
    assert.equal((await service.raw("GET", missing, { token: stranger.token })).status, 404);
    const { catalog: opened } = await read(open);
    assert.deepEqual(
      opened.plugins.map(({ name }) => name),
      ["release-notes"],
    );
  });

  it("has one for each collection", async () => {
    const made = await service.call("POST", `/api/tenants/${org.slug}/collections`, {
      token: owner.token,
      body: { name: "Tools", skills: ["inside", "release-notes"] },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const path = `/${org.slug}/-/collections/tools/claude/marketplace.json`;
    const { catalog } = await read(path, member.token);
    assert.deepEqual(
      catalog.plugins.map(({ name }) => name),
      ["inside", "release-notes"],
    );
    assert.equal((await service.raw("GET", path, { token: stranger.token })).status, 404);
  });
});
