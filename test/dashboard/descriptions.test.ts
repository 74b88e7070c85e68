/** Pages of the dashboard for clients that run no script, and the lists for agents. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { root } from "../support/root.ts";
import { watchRoundTrips } from "../support/round-trips.ts";
import type { TestService } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const hostile = {
  name: "Hostile",
  description: "</script><script>alert(1)</script> $& __CSP_NONCE__ [x](y) \u202Eabc",
  text: "# Guide <img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) [b](docs/x.md) ![c](https://evil.example/c.png)\n",
};

const hidden: string[] = [];

execFileSync(process.execPath, ["scripts/build.mjs", "web"], { cwd: root, stdio: "inherit" });
const { service } = await setUpService({ reportsCommands: true });
const counter = watchRoundTrips(service);
const administrator = await service.newUser();
const { owner, org } = await newOrganization(service);
const closedOrg = await service.newOrg(owner);
const publish = async (
  name: string,
  visibility: string,
  tenantId = org.slug,
  description = `About ${name}.`,
) =>
  (
    await service.call<PublishResult>("POST", "/api/skills", {
      token: owner.token,
      body: {
        tenantId,
        name,
        visibility,
        content: `---\ndescription: ${JSON.stringify(description)}\n---\n${hostile.text}`,
      },
    })
  ).data.skill;
const open = await publish(hostile.name, "public", org.slug, hostile.description);
hidden.push((await publish("Secret", "private")).slug, (await publish("By link", "unlisted")).slug);
const closedFolder = await newFolder(service, org, owner, "closed");
await restrict(service, owner, closedFolder.id, []);
hidden.push(
  (await publishSkill(service, org, owner, { name: "Inside", folder: "closed", visibility: "public" })).slug,
);
const bait = await publish("Bait", "public");
const taken = await service.call("POST", `/api/admin/skills/${bait.publicId}/take-down`, {
  token: administrator.token,
  body: { reason: "Phishing" },
});
assert.equal(taken.status, 200);
hidden.push(bait.slug);
await publish("Internal", "private", closedOrg.slug);
await service.settled();

const page = async (path: string, options: Parameters<TestService["raw"]>[2] = {}) => {
  const headers = { accept: "text/html", ...options.headers };
  const response = await service.raw("GET", path, { ...options, headers });
  const text = await response.text();
  assert.equal(response.status, 200, path);
  assert.match(response.headers.get("content-security-policy")!, /script-src 'self';/);
  return text;
};
/** Without what differs in every response. */
const withoutNonce = (text: string) => text.replaceAll(/nonce="[^"]+"/g, "");
const dataOf = (text: string) => {
  const [, json] = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(text) ?? [];
  assert.ok(json, "no data");
  return JSON.parse(json) as Record<string, unknown>;
};

describe("the page of a public skill", () => {
  it("contains what clients without script need, and nothing that a publisher could run", async () => {
    const text = await page(`/${org.slug}/${open.slug}`);

    assert.match(text, new RegExp(`<title>${org.slug}/${open.slug} · Skill registry</title>`));
    assert.match(text, /<meta name="description" content="&lt;\/script&gt;/);
    assert.match(text, /<meta property="og:title"/);
    assert.ok(text.includes(`<link rel="canonical" href="${service.url}/${org.slug}/${open.slug}" />`));
    const data = dataOf(text);
    assert.equal(data["@type"], "SoftwareSourceCode");
    assert.equal(data["version"], "1.0.0");
    assert.match(String(data["description"]), /<\/script><script>alert\(1\)<\/script> \$& __CSP_NONCE__/);
    assert.match(text, /<main>\s*<h1>/);
    assert.match(text, /<h2 id="h-[\w-]+">Guide &lt;img src=x onerror=alert\(1\)&gt;<\/h2>/);
    assert.ok(text.includes(`href="/api/skills/${open.publicId}/files/docs/x.md?version=1"`));
    assert.doesNotMatch(text, /<script>|<img src=x|href="javascript:|src="https:\/\/evil|\u202e/);
    assert.equal(text.match(/<script/g)!.length, 3, "two files and the data");
  });

  it("has one look for private, unlisted, restricted, taken-down and unknown skills, for every caller", async () => {
    const unknown = withoutNonce(await page(`/${org.slug}/never-existed`));

    assert.doesNotMatch(unknown, /ld\+json|og:title/);
    for (const slug of hidden)
      for (const options of [{}, { cookie: owner.cookie }])
        assert.equal(withoutNonce(await page(`/${org.slug}/${slug}`, options)), unknown, slug);
  });

  it("makes the same queries for a hidden skill as for a missing one", async () => {
    const queriesOf = async (path: string) => (await counter.during(() => page(path))).commands;
    await page(`/${org.slug}/${open.slug}`);

    const missing = await queriesOf(`/${org.slug}/never-existed`);
    for (const slug of hidden.filter((one) => one !== "by-link"))
      assert.deepEqual(await queriesOf(`/${org.slug}/${slug}`), missing, slug);
    assert.deepEqual(await queriesOf(`/${closedOrg.slug}`), await queriesOf("/nobody-has-this"));
  });

  it("is served without a description while the database fails", async () => {
    const { skillLookups } = service.app.storage;
    const { findByPath } = skillLookups;
    skillLookups.findByPath = () => Promise.reject(new Error("away"));
    try {
      assert.doesNotMatch(await page(`/${org.slug}/${open.slug}`), /ld\+json/);
    } finally {
      skillLookups.findByPath = findByPath;
    }
  });
});

describe("the pages of organizations and of the catalog", () => {
  it("list public skills only", async () => {
    for (const path of [`/${org.slug}`, "/explore"]) {
      const text = await page(path);
      const list = dataOf(text)["mainEntity"] as { itemListElement: { name: string }[] };
      assert.deepEqual(
        list.itemListElement.map(({ name }) => name),
        [`${org.slug}/${open.slug}`],
        path,
      );
      for (const slug of hidden) assert.ok(!text.includes(`/${slug}"`), slug);
    }
  });

  it("do not reveal an organization without public skills", async () => {
    const [closed, unknown] = [await page(`/${closedOrg.slug}`), await page("/nobody-has-this")];

    assert.equal(withoutNonce(closed), withoutNonce(unknown));
  });
});

describe("the addresses of pages", () => {
  const statusOf = async (path: string, accept: string) => {
    const response = await service.raw("GET", path, { headers: { accept } });
    const text = await response.text();
    const [type] = response.headers.get("content-type")!.split(";");
    return { seen: `${response.status} ${type}`, text };
  };

  it("answer programs with 404 below a skill, and where anyone may read nothing", async () => {
    const skill = `/${org.slug}/${open.slug}`;
    const paths = [
      ...["README.md", "references/a.md", "marketplace.json", "mcp"].map((name) => `${skill}/${name}`),
      ...["versions", "files/SKILL.md", "compare/1.0.0...1.0.1"].map((name) => `${skill}/${name}`),
      `/${org.slug}/-/ci`,
      "/nobody-has-this",
      "/nobody-has-this/at/all/x.json",
    ];
    for (const path of paths)
      for (const accept of ["*/*", "application/json", ""]) {
        const { seen, text } = await statusOf(path, accept);
        assert.equal(seen, "404 application/json", `${path} ${accept}`);
        assert.equal((JSON.parse(text) as { code: string }).code, "not_found");
      }
    for (const path of [`/${org.slug}`, skill])
      assert.equal((await statusOf(path, "*/*")).seen, "200 text/html", path);
  });

  it("answer programs alike for hidden and missing skills and organizations", async () => {
    const answerOf = async (path: string) => {
      const { seen, text } = await statusOf(path, "*/*");
      const { error } = JSON.parse(text) as { error: string };
      return `${seen} ${error.replaceAll(path, "PATH")}`;
    };
    const missing = await answerOf(`/${org.slug}/never-existed`);

    for (const slug of hidden) assert.equal(await answerOf(`/${org.slug}/${slug}`), missing, slug);
    assert.equal(await answerOf(`/${closedOrg.slug}`), await answerOf("/nobody-has-this"));
  });

  it("are pages for browsers, with 404 where there is none", async () => {
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const skill = `/${org.slug}/${open.slug}`;

    for (const path of [
      `${skill}/versions`,
      `${skill}/files/a/b.md`,
      `/${org.slug}/-/library`,
      "/nobody-has-this",
    ])
      assert.equal((await statusOf(path, accept)).seen, "200 text/html", path);
    for (const path of [`${skill}/README.md`, `/${org.slug}/-/nothing`])
      assert.equal((await statusOf(path, accept)).seen, "404 text/html", path);
    for (const path of ["/authorize", "/register", "/token", "/api/skills/x/y/z"])
      assert.equal((await statusOf(path, accept)).seen, "404 application/json", path);
  });

  it("lead git to the repository", async () => {
    const at = `/${org.slug}/${open.slug}/info/refs?service=git-upload-pack`;
    const response = await fetch(service.url + at, { redirect: "manual" });

    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), at.replace("/info", ".git/info"));
    assert.equal((await fetch(service.url + at)).status, 200);
  });
});

describe("a skill's address with Accept: text/markdown", () => {
  const markdown = (slug: string, options: { token?: string; headers?: Record<string, string> } = {}) =>
    service.raw("GET", `/${org.slug}/${slug}`, {
      ...options,
      headers: { accept: "text/markdown, text/html;q=0.9", ...options.headers },
    });

  it("returns the published file, counts it once, and revalidates it", async () => {
    const counted = (await service.app.storage.skills.find(open.id))!.downloads;
    const read = await markdown(open.slug);
    const text = await read.text();
    const etag = read.headers.get("etag")!;
    const held = await markdown(open.slug, { headers: { "if-none-match": etag } });
    flushDownloads(service.app);
    await service.settled();

    assert.deepEqual([read.status, held.status], [200, 304]);
    assert.match(read.headers.get("content-type")!, /^text\/markdown/);
    assert.match(read.headers.get("vary")!, /Accept, /);
    assert.match(text, /^---\n[^]*# Guide <img/);
    assert.equal((await service.app.storage.skills.find(open.id))!.downloads, counted + 1);
  });

  it("is for those who may read it", async () => {
    const stranger = await service.newUser();
    const member = await newMember(service, org, "member");

    assert.equal((await markdown("secret", { token: member.token })).status, 200);
    for (const slug of ["secret", "bait", "inside", "never-existed"]) {
      assert.equal((await markdown(slug)).status, 401, slug);
      assert.equal((await markdown(slug, { token: stranger.token })).status, 404, slug);
    }
    assert.equal((await markdown("secret", { token: `lsk_${"0".repeat(64)}` })).status, 401);
  });
});

describe("llms.txt", () => {
  const list = async (path: string) => {
    const response = await service.raw("GET", path);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it("lists public skills as lines without markup of their publishers", async () => {
    const { status, headers, text } = await list("/llms.txt");

    assert.equal(status, 200);
    assert.match(headers.get("content-type")!, /^text\/plain/);
    assert.match(headers.get("cache-control")!, /^public, max-age=\d+$/);
    const lines = text.split("\n").filter((line) => line.startsWith("- "));
    assert.equal(lines.length, 1);
    assert.ok(
      lines[0]!.startsWith(
        `- [${org.slug}/${open.slug}](${service.url}/s/${open.publicId}?raw) 1.0.0: \\</script\\>\\<script\\>`,
      ),
      lines[0],
    );
    assert.match(lines[0]!, /\\\[x\\\]\(y\) \\<U\+202E\\>abc$/);
    const held = await service.raw("GET", "/llms.txt", {
      headers: { "if-none-match": headers.get("etag")! },
    });
    assert.equal(held.status, 304);
  });

  it("of an organization has pages, and does not exist without public skills", async () => {
    const third = await service.newOrg(owner);
    await Promise.all(
      Array.from({ length: 101 }, (_, n) =>
        service.call("POST", "/api/skills", {
          token: owner.token,
          body: { tenantId: third.slug, name: `Many ${n}`, visibility: "public", content: "# Many\n" },
        }),
      ),
    );
    await service.settled();
    const first = await list(`/${third.slug}/llms.txt`);
    const [, next] = new RegExp(`^Next page: <${service.url}(/[^>]+)>$`, "m").exec(first.text) ?? [];
    const second = await list(next!);

    const linksOf = (text: string) => text.split("\n").filter((line) => line.startsWith("- ["));
    assert.equal(linksOf(first.text).length, 100);
    assert.equal(linksOf(second.text).length, 1);
    assert.equal(new Set([...linksOf(first.text), ...linksOf(second.text)]).size, 101);
    assert.doesNotMatch(second.text, /Next page/);
    const [closed, unknown] = [
      await list(`/${closedOrg.slug}/llms.txt`),
      await list("/nobody-has-this/llms.txt"),
    ];
    assert.deepEqual([closed.status, unknown.status], [404, 404]);
    assert.equal((await list("/llms.txt?cursor=x")).status, 400);
  });
});

describe("the message of a deprecated skill", () => {
  it("is on its page, in lists and in llms.txt", async () => {
    const other = await service.newOrg(owner);
    const { publicId, slug } = await publish("Old", "public", other.slug);
    const body = { deprecated: "Use *new*." };
    const path = `/api/skills/${publicId}`;
    assert.equal((await service.call("PUT", path, { token: owner.token, body })).status, 200);
    await service.settled();

    const text = await page(`/${other.slug}/${slug}`);
    assert.ok(text.includes(`<p>${other.slug}/${slug} is deprecated: Use *new*.</p>`), text);
    assert.equal(dataOf(text)["description"], "(deprecated: Use *new*.) About Old.");
    assert.ok((await page(`/${other.slug}`)).includes("(deprecated: Use *new*.) About Old."));
    const list = await (await service.raw("GET", `/${other.slug}/llms.txt`)).text();
    assert.ok(list.includes(String.raw`1.0.0: (deprecated: Use \*new\*.) About Old.`), list);
  });
});

describe("the share page", () => {
  it("shows readme, files and how to keep a copy, without script", async () => {
    const response = await service.raw("GET", `/s/${open.publicId}`);
    const text = await response.text();

    assert.doesNotMatch(text, /<script|<img src=x|href="javascript:|src="https:\/\/evil/);
    assert.match(response.headers.get("content-security-policy")!, /default-src 'none'; style-src 'self'/);
    assert.match(text, /<h2 id="h-[\w-]+">Guide &lt;img/);
    assert.ok(text.includes(`svc install ${service.url}/s/${open.publicId}`));
    assert.match(text, new RegExp(`href="/sign-up\\?return_to=%2F${org.slug}%2F${open.slug}"`));
    assert.match(text, /href="\/api\/skills\/\w+\/files\/SKILL\.md\?version=1"/);
    assert.doesNotMatch(text, /name="robots"/);
    const signedIn = await service.raw("GET", `/s/${open.publicId}`, { cookie: owner.cookie });
    assert.match(await signedIn.text(), new RegExp(`href="/${org.slug}/${open.slug}">Open in the dashboard`));
  });
});
