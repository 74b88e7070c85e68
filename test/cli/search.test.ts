/** `svc search` and `svc info` against the real service. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { restrict } from "../support/organization.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { dataOf } from "./fixture.ts";
import { type Ran, svc, temporaryFolder } from "./harness.ts";

const { service } = await setUpService();

interface Found {
  publicId: string;
  slug: string;
  tenantSlug: string;
  visibility: string;
  own: boolean;
}

type Run = (...argv: string[]) => Promise<Ran>;

/** Runners in a home with an account, or without one; the second prints text. */
async function signedIn(t: TestContext, user: TestUser | undefined): Promise<{ json: Run; text: Run }> {
  const home = await temporaryFolder(t);
  const env = { SVC_API_URL: service.url, SVC_TOKEN: user?.token };
  return {
    json: (...argv) => svc([...argv, "-o", "json"], { home, env }),
    text: (...argv) => svc(argv, { home, env }),
  };
}

async function newSkill(
  user: TestUser,
  org: TestOrg,
  name: string,
  more: Record<string, unknown> = {},
): Promise<SkillPayload> {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: org.slug, name, content: `# ${name}\n`, createFolders: true, ...more },
  });
  assert.equal(made.status, 201, made.error);
  await service.settled();
  return made.data.skill;
}

/** Two users with an organization each; the second publishes a public and a private skill. */
async function twoPublishers() {
  const user = await service.newUser();
  const other = await service.newUser();
  const [org, otherOrg] = [await service.newOrg(user), await service.newOrg(other)];
  const word = `quokka${org.slug.replaceAll("-", "")}`;
  await newSkill(user, org, `${word} review`, {
    description: "Reviews \u001B[31mcode",
    visibility: "public",
  });
  await newSkill(user, org, `${word} notes`);
  await newSkill(other, otherOrg, `${word} lint`, { visibility: "public" });
  await newSkill(other, otherOrg, `${word} secret`);
  return { user, org, other, otherOrg, word };
}

const slugsOf = (ran: Ran, word: string) =>
  dataOf<Found[]>(ran)
    .map(({ slug, own }) => `${slug.replace(`${word}-`, "")} ${own ? "own" : "catalog"}`)
    .toSorted();

describe("svc search", () => {
  it("finds own skills and public ones of others, each once", async (t) => {
    const { user, org, otherOrg, word } = await twoPublishers();
    const { json, text } = await signedIn(t, user);
    await until("the search index", async () => dataOf<Found[]>(await json("search", word)).length === 3);

    assert.deepEqual(slugsOf(await json("search", word), word), ["lint catalog", "notes own", "review own"]);
    assert.deepEqual(slugsOf(await json("search", word, "--org", org.slug), word), [
      "notes own",
      "review own",
    ]);
    assert.deepEqual(slugsOf(await json("search", `${word} lint`), word), ["lint catalog"]);
    const shown = (await text("search", word)).stdout;
    assert.match(shown, new RegExp(`^SKILL +VERSION +DESCRIPTION\n${org.slug}/`));
    assert.match(shown, new RegExp(`${otherOrg.slug}/${word}-lint +1\\.0\\.0`));
    assert.ok(!shown.includes("\u001B"));
  });

  it("limits the results, and reports that there are more", async (t) => {
    const { user, word } = await twoPublishers();
    const { json, text } = await signedIn(t, user);
    await until("the search index", async () => dataOf<Found[]>(await json("search", word)).length === 3);

    const limited = await json("search", word, "--limit", "2");

    assert.deepEqual(
      dataOf<Found[]>(limited).map(({ own }) => own),
      [true, true],
    );
    assert.match((await text("search", word, "--limit", "2")).stderr, /first 2 are shown: use --limit/);
    const all = (await text("search", word, "--limit", "3")).stderr;
    assert.doesNotMatch(all, /are shown/);
    assert.match(all, /^The first two match almost equally well/);
  });

  it("searches only the catalog without a login", async (t) => {
    const { word } = await twoPublishers();
    const { json, text } = await signedIn(t, undefined);
    await until("the search index", async () => dataOf<Found[]>(await json("search", word)).length === 2);

    assert.deepEqual(slugsOf(await json("search", word), word), ["lint catalog", "review catalog"]);
    const refused = await json("search", word, "--org", "acme");
    assert.deepEqual([refused.code, refused.error.code], [1, "E_NOT_AUTHENTICATED"]);
    assert.equal((await text("search", "zzzunknown")).stdout, 'No skill matches "zzzunknown".\n');
  });

  it("rejects an empty text, an invalid limit and an organization of others", async (t) => {
    const { user, otherOrg } = await twoPublishers();
    const { json } = await signedIn(t, user);

    for (const [argv, flag] of [
      [["search", " "], "<text>"],
      [["search", "x", "--limit", "0"], "--limit"],
    ] as const) {
      const { error } = await json(...argv);
      assert.deepEqual([error.code, error.details?.["flag"]], ["E_INVALID_ARGUMENT", flag]);
    }
    const { error } = await json("search", "x", "--org", otherOrg.slug);
    assert.deepEqual([error.code, error.details?.["kind"]], ["E_NOT_FOUND", "team"]);
  });
});

interface Info {
  skill: { slug: string; currentSemver: string };
  url: string;
  versionCount: number;
  files: { path: string; size: number }[];
  totalSize: number;
  estimatedTokens: number;
  access: { visibility: string; restricted: boolean; folderPath?: string };
  installed: { installName: string; semver: string; pin: string; installs: { platform: string }[] }[];
}

describe("svc info", () => {
  it("shows versions, files, readers and installs", async (t) => {
    const { owner: user, org } = await newOrganization(service);
    const skill = await newSkill(user, org, "Info", { folder: "ops/reviews" });
    await newSkill(user, org, "Info", { content: "# Second\n", mode: "update" });
    const { json, text } = await signedIn(t, user);
    await json("install", "info@1.0.0", "-t", "claude", "-g");

    const info = dataOf<Info>(await json("info", "info"));
    const shown = (await text("info", `${org.slug}/info`)).stdout;

    assert.equal(info.skill.currentSemver, "1.0.1");
    assert.deepEqual([info.versionCount, info.url], [2, `${service.url}/s/${skill.publicId}`]);
    assert.deepEqual(
      info.files.map(({ path }) => path),
      ["SKILL.md"],
    );
    assert.equal(info.totalSize, info.files[0]!.size);
    assert.equal(info.estimatedTokens, Math.ceil(info.totalSize / 4));
    assert.deepEqual(info.access, { visibility: "private", restricted: false, folderPath: "ops/reviews" });
    assert.deepEqual(
      info.installed.map(({ installName, semver, pin, installs }) => [
        installName,
        semver,
        pin,
        installs.map(({ platform }) => platform),
      ]),
      [["info", "1.0.0", "1.0.0", ["claude"]]],
    );
    assert.match(shown, /Version: +1\.0\.1 of \d{4}-\d\d-\d\d \(2 versions\)/);
    assert.match(shown, /Folder: +ops\/reviews/);
    assert.match(shown, /info 1\.0\.0, pin 1\.0\.0\n {4}claude/);
  });

  it("reports a restricted folder, which a stranger can't read", async (t) => {
    const { owner: user, org } = await newOrganization(service);
    const { folderId } = await newSkill(user, org, "Closed", { folder: "ops" });
    await restrict(service, user, folderId!, []);
    const { json } = await signedIn(t, user);
    const stranger = await signedIn(t, await service.newUser());

    await until("the restriction", async () => dataOf<Info>(await json("info", "closed")).access.restricted);
    assert.equal((await stranger.json("info", `${org.slug}/closed`)).error.code, "E_NOT_FOUND");
  });

  it("omits the folder of a public skill for a visitor, and rejects a pin", async (t) => {
    const { owner: user, org } = await newOrganization(service);
    await newSkill(user, org, "Open", { folder: "ops", visibility: "public" });
    const visitor = await signedIn(t, undefined);

    const { access, installed } = dataOf<Info>(await visitor.json("info", `${org.slug}/open`));
    assert.deepEqual(access, { visibility: "public", restricted: false });
    assert.deepEqual(installed, []);
    assert.match((await visitor.text("info", `${org.slug}/open`)).stdout, /Not installed\. Try svc install/);
    const { error } = await visitor.json("info", "open@1");
    assert.deepEqual([error.code, error.details], ["E_INVALID_ARGUMENT", { flag: "<skill>" }]);
  });
});
