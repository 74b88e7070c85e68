import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { skillsPerFile } from "../../src/dashboard/sitemap-routes.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { newFolder } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";

const contacts = ["mailto:security@example.com", "https://example.com/report"];
const now = new Date("2026-11-26T18:00:00Z");

const { service, owner, org } = await setUpOrganization({ now: () => now, securityContacts: contacts });

interface Made {
  id: string;
  slug: string;
}

async function publish(name: string, visibility = "public", folder?: string): Promise<Made> {
  const body = { tenantId: org.slug, name, content: "# Text\n", visibility, folder };
  const made = await service.call<{ skill: Made }>("POST", "/api/skills", { token: owner.token, body });
  return made.data.skill;
}

const read = async (path: string) => {
  const response = await service.raw("GET", path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const addressesIn = (xml: string) => [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address!);
const pathsIn = (xml: string) =>
  addressesIn(xml).map((address) => address.slice(service.app.config.baseUrl.length));

describe("files for crawlers", () => {
  it("have no site map while there is no public skill", async () => {
    const [map, robots] = [await read("/sitemap.xml"), await read("/robots.txt")];

    assert.equal(map.status, 404);
    assert.equal(robots.status, 200);
    assert.match(robots.headers.get("content-type")!, /^text\/plain/);
    assert.match(robots.text, /^User-agent: \*\n/);
    assert.match(robots.text, /^Disallow: \/settings$/m);
    assert.doesNotMatch(robots.text, /Sitemap:/);
  });

  it("name where to report vulnerabilities, for less than a year", async () => {
    const { status, headers, text } = await read("/.well-known/security.txt");

    assert.equal(status, 200);
    assert.match(headers.get("content-type")!, /^text\/plain; charset=utf-8/i);
    assert.equal(
      text,
      [
        ...contacts.map((contact) => `Contact: ${contact}`),
        "Expires: 2027-05-25T00:00:00.000Z",
        `Canonical: ${service.app.config.baseUrl}/.well-known/security.txt`,
        "",
      ].join("\n"),
    );
    service.app.config.securityContacts = undefined;
    assert.equal((await read("/.well-known/security.txt")).status, 404);
  });
});

describe("the site map", () => {
  const listed: string[] = [];
  before(async () => {
    const folder = await newFolder(service, org, owner, "Closed");
    listed.push(
      `/${org.slug}/${(await publish("First")).slug}`,
      `/${org.slug}/${(await publish("Second")).slug}`,
    );
    await publish("Private", "private");
    await publish("Unlisted", "unlisted");
    await publish("Restricted", "public", "Closed");
    await service.call("PUT", `/api/folders/${folder.id}/access`, {
      token: owner.token,
      body: { restricted: true, grants: [] },
    });
    await service.settled();
  });

  it("has the pages of public skills that nothing restricts", async () => {
    const map = await read(`/sitemap.xml?after=${startOfAll}`);
    const robots = await read("/robots.txt");

    assert.equal(map.status, 200);
    assert.match(map.headers.get("content-type")!, /^application\/xml/);
    assert.match(map.text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset /);
    assert.deepEqual(pathsIn(map.text).sort(), [...listed].sort());
    assert.match(map.text, /<lastmod>2026-11-26T18:00:00\.000Z<\/lastmod>/);
    assert.ok(robots.text.endsWith(`\nSitemap: ${service.app.config.baseUrl}/sitemap.xml\n`));
  });

  it("is an index of files once one has too many pages, which together have each page once", async () => {
    const skills = service.app.storage.skills;
    const model = (await skills.listBySlugInCatalog("first", [], 1))[0]!;
    await insertCopies(model, skillsPerFile - 1);

    const index = await read("/sitemap.xml");
    const files = await Promise.all(pathsIn(index.text).map(read));

    assert.match(index.text, /<sitemapindex /);
    const paths = files.map(({ text }) => pathsIn(text));
    assert.deepEqual(
      paths.map((each) => each.length),
      [skillsPerFile, 1],
    );
    assert.equal(new Set(paths.flat()).size, skillsPerFile + 1);
  });

  it("refuses a position that is not one of its index", async () => {
    const answer = await service.call("GET", "/sitemap.xml?after=nothing");

    assert.equal(answer.code, "invalid_request");
  });
});

/** A position before all skills that the index does not name, whose file is kept for a minute. */
const startOfAll = Buffer.from(JSON.stringify([1, ""])).toString("base64url");

/** Copies of a skill, all created at the same time. */
async function insertCopies(model: SkillDoc, count: number): Promise<void> {
  const copies = Array.from({ length: count }, (_, at) => ({
    ...model,
    _id: at.toString(16).padStart(24, "0"),
    publicId: `copy${String(at).padStart(6, "0")}`,
    slug: `copy-${at}`,
  }));
  await Promise.all(copies.map((copy) => service.app.storage.skills.insert(copy)));
}
