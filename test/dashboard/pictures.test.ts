/** Pictures of public skills and organizations: badges for readmes, and cards for previews of links. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newFolder, publishSkill, restrict } from "../support/organization.ts";
import type { TestService } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const { service } = await setUpService();
const { owner, org } = await newOrganization(service);
const emptyOrg = await service.newOrg(owner);
const publish = async (name: string, visibility: string, folder?: string) =>
  (
    await publishSkill(service, org, owner, {
      name,
      visibility,
      content: `---\ndescription: About ${name}.\n---\n# ${name}\n`,
      folder,
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

describe("the card of a public skill", () => {
  const card = async (path: string, options: Parameters<TestService["raw"]>[2] = {}) => {
    const response = await service.raw("GET", path, options);
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

  it("is the picture that the page names, and is the same for every drawing", async () => {
    const page = await (
      await service.raw("GET", `/${org.slug}/${open}`, { headers: { accept: "text/html" } })
    ).text();
    const [, address] = /<meta property="og:image" content="([^"]+)"/.exec(page) ?? [];
    assert.ok(address?.startsWith(`${service.url}/${org.slug}/${open}/card.png?v=`), address);
    assert.match(page, /name="twitter:card" content="summary_large_image"/);

    const { status, headers, bytes } = await card(address!.slice(service.url.length));

    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "image/png");
    assert.equal(headers.get("cache-control"), "public, max-age=3600");
    assert.deepEqual(sizeOf(bytes), [1200, 630]);
    const etag = headers.get("etag")!;
    assert.equal(
      (await card(`/${org.slug}/${open}/card.png`, { headers: { "if-none-match": etag } })).status,
      304,
    );
  });

  it("exists for an organization with public skills", async () => {
    const { status, bytes } = await card(`/${org.slug}/card.png`);

    assert.equal(status, 200);
    assert.deepEqual(sizeOf(bytes), [1200, 630]);
  });

  it("does not exist for any other skill and organization, whoever asks", async () => {
    const failureOf = async (path: string, options = {}) => {
      const { status, bytes } = await card(path, options);
      const { requestId: _, ...failure } = JSON.parse(bytes.toString()) as Record<string, unknown>;
      return { status, text: JSON.stringify(failure) };
    };
    const missing = await failureOf(`/${org.slug}/never-existed/card.png`);
    assert.equal(missing.status, 404);
    for (const slug of hidden)
      for (const options of [{}, { token: owner.token }, { cookie: owner.cookie }]) {
        const { status, text } = await failureOf(`/${org.slug}/${slug}/card.png`, options);
        assert.deepEqual([status, text], [404, missing.text.replaceAll("never-existed", slug)]);
      }
    const unknown = await failureOf("/nobody-has-this/card.png");
    assert.deepEqual(await failureOf(`/${emptyOrg.slug}/card.png`, { token: owner.token }), unknown);
    assert.equal(unknown.status, 404);
  });

  it("reads no more cards than can be drawn in time, and refuses the others", async () => {
    const slugs = await Promise.all(Array.from({ length: 14 }, (_, at) => publish(`Flood ${at}`, "public")));
    await service.settled();

    const flood = await Promise.all(slugs.map((slug) => card(`/${org.slug}/${slug}/card.png`)));

    const statuses = new Set(flood.map(({ status }) => status));
    assert.ok(statuses.has(200));
    for (const { status, headers } of flood.filter((one) => one.status !== 200)) {
      assert.equal(status, 503);
      assert.ok(headers.get("retry-after"));
    }
  });
});
