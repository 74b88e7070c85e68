/** The repository or folder that a version comes from, and publishes of a name from elsewhere. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type TestContext, describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { normalizedRemote } from "../../cli/publish/content-location.ts";
import { otherLocation } from "../../cli/publish/present.ts";
import type { PublishResult, VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { root } from "../support/root.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { needsTerminal, openTerminal } from "../support/terminal.ts";

const { service, owner } = await setUpOrganization();

const skillText = (more: string) => `---\nname: shared-name\ndescription: Does it.\n---\n# It\n${more}\n`;

interface Data {
  skill: { publicId: string };
  warnings: string[];
  previousContentLocation?: string;
  skills: { warnings: string[]; previousContentLocation?: string; outcome: string }[];
}

async function setUp(t: TestContext) {
  const org = await service.newOrg(owner);
  const home = await temporaryFolder(t);
  const write = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(home, file)), { recursive: true });
    await writeFile(path.join(home, file), text);
  };
  const clone = (folder: string, url: string) =>
    write(`${folder}/.git/config`, `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n`);
  const env = { SVC_API_URL: service.url, SVC_TOKEN: owner.token };
  const publish = async (folder: string, ...flags: string[]) => {
    const ran = await svc(["publish", folder, "-t", org.slug, ...flags, "-o", "json"], { home, env });
    assert.equal(ran.code, 0, ran.stderr);
    return { data: ran.data as Data };
  };
  const versions = async (id: string, token?: string) =>
    (
      await service.call<VersionPayload[]>("GET", `/api/skills/${id}/versions`, {
        token,
      })
    ).data;
  return { org, home, env, write, clone, publish, versions };
}

describe("normalizedRemote", () => {
  const equal = [
    "https://github.com/acme/skills.git",
    "https://ann:s3cret@github.com/acme/skills",
    "https://github.com/acme/skills/?token=s3cret#x",
    "git@github.com:acme/skills.git",
    "ssh://git@GitHub.com:22/acme/skills.git/",
    "git://github.com/acme/skills",
  ];
  for (const url of equal)
    it(`reads ${url}`, () => assert.equal(normalizedRemote(url), "github.com/acme/skills"));

  it("keeps a port, and encodes what is not plain", () => {
    assert.equal(normalizedRemote("https://git.example:8443/a b/ü.git"), "git.example:8443/a%20b/%C3%BC");
  });

  for (const url of ["/srv/git/skills.git", "../skills", "file:///home/ann/skills", "C:\\work\\skills", ""])
    it(`has no remote for ${JSON.stringify(url)}`, () => assert.equal(normalizedRemote(url), undefined));
});

describe("a publish of a name from another repository or folder", () => {
  it("is announced by the plan, and by the result", async (t) => {
    const { org, clone, write, publish, versions } = await setUp(t);
    await clone("a", "https://ann:s3cret@github.com/acme/skills.git");
    await write("a/skills/one/SKILL.md", skillText("a"));
    await clone("b", "git@gitlab.com:other/kit.git");
    await write("b/one/SKILL.md", skillText("b"));
    const { publicId } = (await publish("a/skills/one")).data.skill;

    const again = await publish("a/skills/one/SKILL.md");
    const plan = await publish("b/one", "--dry-run");
    const all = await publish("b", "--dry-run");
    const made = await publish("b/one");

    assert.deepEqual([again.data.previousContentLocation, again.data.warnings.length], [undefined, 1]);
    const previous = "git:github.com/acme/skills#skills/one";
    const sentence =
      `The latest version of ${org.slug}/shared-name came from skills/one in github.com/acme/skills. ` +
      "If this is another skill, publish it under another name (--name).";
    for (const { data } of [plan, made]) {
      assert.equal(data.previousContentLocation, previous);
      assert.ok(data.warnings.includes(sentence), data.warnings.join("\n"));
    }
    const [row] = all.data.skills;
    assert.deepEqual([row?.previousContentLocation, row?.warnings], [previous, [sentence]]);
    const listed = await versions(publicId, owner.token);
    assert.deepEqual(
      listed.map(({ contentLocation }) => contentLocation),
      ["git:gitlab.com/other/kit#one", previous, previous],
    );
  });

  it("recognizes a folder without a remote, whose path is not sent", async (t) => {
    const { home, write, publish, versions } = await setUp(t);
    await write("one/SKILL.md", skillText("one"));
    await write("two/SKILL.md", skillText("two"));
    const { publicId } = (await publish("one")).data.skill;

    const again = await publish("one");
    const other = await publish("two");

    assert.equal(again.data.previousContentLocation, undefined);
    assert.match(other.data.previousContentLocation!, /^folder:[0-9a-f]{32}$/);
    assert.ok(other.data.warnings.some((warning) => warning.includes("another folder")));
    const listed = await versions(publicId, owner.token);
    assert.equal(new Set(listed.map(({ contentLocation }) => contentLocation)).size, 2);
    assert.ok(!JSON.stringify(listed).includes(path.basename(home)));
  });

  it("shows the content location to members only", async (t) => {
    const { clone, write, publish, versions } = await setUp(t);
    await clone("a", "https://git.internal.example/team/skills.git");
    await write("a/SKILL.md", skillText("a"));
    const { publicId } = (await publish("a", "--visibility", "public")).data.skill;

    const [own] = await versions(publicId, owner.token);
    const [open] = await versions(publicId);

    assert.equal(own?.contentLocation, "git:git.internal.example/team/skills");
    assert.deepEqual([open?.semver, open?.contentLocation], ["1.0.0", undefined]);
  });

  const hostile = [
    "git:github.com/a/b\u001B[31m",
    "git:github.com/<script>",
    'git:github.com/a"b',
    "git:github.com/a\u202Eb",
    "git:github.com/a/b#x y",
    "git:user@host/a",
    "https://github.com/a/b",
    "folder:/home/ann/skills",
    `git:github.com/${"a".repeat(500)}`,
    "git:github.com",
    "folder:ABCDEF",
    "",
  ];
  it("is not reported in another form, as a hostile service may send it", () => {
    const skill = { tenantSlug: "acme", slug: "x" };
    for (const previousContentLocation of hostile)
      assert.deepEqual(
        otherLocation({ skill, previousContentLocation }).warnings,
        [],
        previousContentLocation,
      );
  });

  it("refuses a content location that is not of the form", async (t) => {
    const { org } = await setUp(t);
    for (const contentLocation of hostile) {
      const made = await service.call<PublishResult>("POST", "/api/skills", {
        token: owner.token,
        body: { tenantId: org.slug, name: "x", content: "x\n", contentLocation },
      });
      assert.equal(made.status, 400, contentLocation);
    }
  });

  it("is asked about at a terminal, where a no publishes nothing", needsTerminal, async (t) => {
    const { org, home, env, clone, write, publish, versions } = await setUp(t);
    await clone("a", "https://github.com/acme/skills.git");
    await write("a/SKILL.md", skillText("a"));
    await write("b/SKILL.md", skillText("b"));
    const { publicId } = (await publish("a")).data.skill;
    const answer = async (key: string) => {
      const terminal = openTerminal(
        [process.execPath, path.join(root, "bin", "svc"), "publish", "b", "-t", org.slug],
        { cwd: home, columns: 200, env: { HOME: home, ...env, SVC_NO_UPDATE_CHECK: "1" } },
      );
      await terminal.until(/Publish 1\.0\.1 of .* from here\?/);
      terminal.type(key);
      return { code: await terminal.ended, text: stripVTControlCharacters(terminal.text()) };
    };
    const count = async () => (await versions(publicId, owner.token)).length;

    const declined = await answer("n");
    const countBefore = await count();
    const agreed = await answer("y");

    assert.match(declined.text, /came from github\.com\/acme\/skills/);
    assert.deepEqual([declined.code === 0, countBefore, agreed.code, await count()], [false, 1, 0, 2]);
  });
});
