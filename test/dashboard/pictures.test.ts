/** Pictures of public skills and organizations: badges for readmes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newFolder, publishSkill, restrict } from "../support/organization.ts";
import type { TestService } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const { service } = await setUpService();
const { owner, org } = await newOrganization(service);
const publish = async (name: string, visibility: string, folder?: string) =>
  (
    await publishSkill(service, org, owner, {
      name,
      visibility,
      content: `---\ndescription: About ${name}.\n---\n# ${name}\n`,
      ...(folder === undefined ? {} : { folder }),
    })
  ).slug;
const open = await publish("Open", "public");
const closedFolder = await newFolder(service, org, owner, "closed");
await restrict(service, owner, closedFolder.id, []);
const hidden = [
  await publish("Secret", "private"),
  await publish("By link", "unlisted"),
  await publish("Inside", "public", "closed"),
];
await service.settled();

const get = async (path: string, options: Parameters<TestService["raw"]>[2] = {}) => {
  const response = await service.raw("GET", path, options);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const badge = (slug: string, query = "", options: Parameters<TestService["raw"]>[2] = {}) =>
  get(`/${org.slug}/${slug}/badge.svg${query}`, options);

describe("the badge of a public skill", () => {
  it("shows name and current version, for every site, and is revalidated", async () => {
    const { status, headers, text } = await badge(open);

    assert.equal(status, 200);
    assert.match(headers.get("content-type")!, /^image\/svg\+xml/);
    assert.equal(headers.get("cache-control"), "public, max-age=300");
    assert.equal(headers.get("cross-origin-resource-policy"), "cross-origin");
    assert.match(headers.get("content-security-policy")!, /^default-src 'none';.*sandbox$/);
    assert.ok(text.includes(`>${org.slug}/${open}<`) && text.includes(">v1.0.0<"), text);
    const held = await badge(open, "", { headers: { "if-none-match": headers.get("etag")! } });
    assert.equal(held.status, 304);
  });

  it("shows a new version at once to those who ask again", async () => {
    const before = await badge(open);
    await publishSkill(service, org, owner, {
      name: "Open",
      content: "# Open again\n",
      visibility: "public",
    });

    const after = await badge(open, "", { headers: { "if-none-match": before.headers.get("etag")! } });

    assert.equal(after.status, 200);
    assert.ok(after.text.includes(">v1.0.1<") || after.text.includes(">v1.1.0<"), after.text);
  });

  it("is as wide as its text", async () => {
    const widthOf = async (label: string) =>
      Number(/<svg[^>]* width="([\d.]+)"/.exec((await badge(open, `?label=${label}`)).text)![1]);

    const [short, long, wide] = [
      await widthOf("a"),
      await widthOf("a".repeat(60)),
      await widthOf("W".repeat(60)),
    ];

    assert.ok(short < 80 && long > 300 && wide > long + 100, `${short}, ${long}, ${wide}`);
  });

  it("has a label that can't be markup, script or control the direction", async () => {
    const hostile = `"><script>alert(1)</script>\u202e\n\0\ufffe&'`;
    const { status, text } = await badge(open, `?label=${encodeURIComponent(hostile)}`);

    assert.equal(status, 200);
    assert.doesNotMatch(text, /<script|\u202e|\0|\ufffe|&(?!\w+;)/);
    assert.ok(text.includes("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"), text);
    assert.equal((await badge(open, `?label=${"a".repeat(61)}`)).status, 400);
  });
});

describe("the badge of any other skill", () => {
  it("is that of a skill that does not exist, for every caller", async () => {
    const missing = await badge("never-existed");

    assert.equal(missing.status, 404);
    assert.ok(missing.text.includes(">not found<"));
    for (const slug of hidden)
      for (const options of [{}, { token: owner.token }, { cookie: owner.cookie }]) {
        const { status, headers, text } = await badge(slug, "", options);
        assert.deepEqual([status, text], [404, missing.text], slug);
        for (const name of ["etag", "cache-control", "content-type"])
          assert.equal(headers.get(name), missing.headers.get(name), slug);
      }
    assert.equal((await get("/nobody-has-this/never-existed/badge.svg")).text, missing.text);
  });
});
