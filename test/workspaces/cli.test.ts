import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { svc, type Ran } from "../cli/harness.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture } from "./fixture.ts";

const { service } = await setUpService();
const fixture = await makeFixture(service);
const alice = await fixture.join();
const home = await mkdtemp(path.join(os.tmpdir(), "svc-home-"));
await writeFile(path.join(home, "notes.md"), "# Notes\n\nmine\n");

after(() => rm(home, { recursive: true, force: true }));

const run = (user: TestUser, ...argv: string[]): Promise<Ran> =>
  svc([...argv, "-o", "json"], { home, env: { SVC_API_URL: service.url, SVC_TOKEN: user.token } });

interface Published {
  action: string;
  skill: { slug: string; visibility: string; folderId: string | null; publicId: string };
  ignoredFlags: string[];
  warnings: string[];
}

describe("svc publish --personal", () => {
  it("reports what to do if workspaces are not enabled", async () => {
    const refused = await run(alice, "publish", "notes.md", "--personal");

    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.equal(refused.error.code, "E_API");
    assert.equal(refused.error.details?.["httpStatus"], 422);
    assert.match(refused.error.message, /can enable them/);
    await fixture.enable();
  });

  it("publishes into the workspace, privately, and appends there", async () => {
    const made = await run(alice, "publish", "notes.md", "--personal");
    await writeFile(path.join(home, "notes.md"), "# Notes\n\nmore\n");
    const again = await run(alice, "publish", "notes.md", "--personal", "--visibility", "private");

    assert.deepEqual([made.code, made.stderr], [0, ""]);
    const { action, skill, ignoredFlags, warnings } = made.data as Published;
    const { own } = await fixture.overview(alice);
    assert.deepEqual(
      [action, skill.visibility, skill.folderId, ignoredFlags, warnings],
      ["created", "private", own!.folderId, [], []],
    );
    assert.deepEqual(Object.keys(made.data as object).sort(), [
      "action",
      "format",
      "ignoredFlags",
      "skill",
      "unchanged",
      "url",
      "warnings",
    ]);
    const second = again.data as Published;
    assert.deepEqual([second.action, second.skill.publicId], ["updated", skill.publicId]);
  });

  it("rejects incompatible flags before anything is sent", async () => {
    for (const [flags, flag] of [
      [["--folder", "a"], "--folder"],
      [["--parents"], "--parents"],
      [["-f", "a", "-p"], "--folder"],
      [["--visibility", "public"], "--visibility"],
      [["--visibility", "unlisted"], "--visibility"],
    ] as const) {
      const refused = await svc(["publish", "notes.md", "--personal", ...flags, "-o", "json"], {
        home,
        env: { SVC_API_URL: "http://127.0.0.1:1", SVC_TOKEN: alice.token },
      });

      assert.equal(refused.code, 1);
      assert.equal(refused.stdout, "");
      assert.equal(refused.error.code, "E_INVALID_ARGUMENT", flags.join(" "));
      assert.equal(refused.error.details?.["flag"], flag, flags.join(" "));
    }
  });

  it("looks for the skill in the workspace only, with --create and --update", async () => {
    await run(fixture.owner, "publish", "notes.md", "-n", "Elsewhere");
    const taken = await run(alice, "publish", "notes.md", "--personal", "--create");
    const missing = await run(alice, "publish", "notes.md", "--personal", "--update", "-n", "Elsewhere");

    assert.equal(taken.error.code, "E_ALREADY_EXISTS");
    const existing = taken.error.details?.["existing"] as { path: string };
    assert.equal(existing.path, `personal/${alice.username}`);
    assert.equal(missing.error.code, "E_NOT_FOUND");
  });
});

describe("svc publish --folder", () => {
  it("publishes into a folder, and creates missing ones with --parents", async () => {
    const nowhere = await run(alice, "publish", "notes.md", "-n", "Filed", "-f", "Ops/Review Tools");
    const made = await run(alice, "publish", "notes.md", "-n", "Filed", "-f", "Ops/Review Tools", "-p");
    const again = await run(alice, "publish", "notes.md", "-n", "Filed", "--folder", "/");
    const alone = await run(alice, "publish", "notes.md", "--parents");

    assert.deepEqual([nowhere.error.code, nowhere.error.details?.["kind"]], ["E_NOT_FOUND", "folder"]);
    assert.equal((made.data as Published).action, "created");
    const folders = await service.call<{ id: string; path: string }[]>(
      "GET",
      `/api/tenants/${fixture.org.slug}/folders`,
      { token: alice.token },
    );
    const folder = folders.data.find((one) => one.path === "ops/review-tools");
    assert.equal((made.data as Published).skill.folderId, folder?.id);
    assert.deepEqual((again.data as Published).ignoredFlags, ["folder"]);
    assert.deepEqual([alone.error.code, alone.error.details?.["flag"]], ["E_INVALID_ARGUMENT", "--parents"]);
  });

  it("is refused by the folder that contains the workspaces", async () => {
    const refused = await run(fixture.owner, "publish", "notes.md", "-n", "Loose", "-f", "personal");

    assert.deepEqual([refused.error.code, refused.error.details?.["httpStatus"]], ["E_API", 422]);
  });
});

describe("svc list --personal", () => {
  it("lists the caller's own workspace, as an array of skills", async () => {
    await service.settled();
    const mine = await run(alice, "list", "--personal");
    const found = await run(alice, "list", "--personal", "--search", "nothing");
    const none = await run(fixture.owner, "list", "--personal");

    assert.equal(mine.stderr, "");
    const skills = mine.data as Record<string, unknown>[];
    assert.deepEqual(
      skills.map((skill) => skill["name"]),
      ["notes"],
    );
    assert.deepEqual(skills[0]?.["tags"], []);
    assert.deepEqual([found.data, none.data], [[], []]);
  });

  it("can't be combined with another list", async () => {
    for (const other of ["--public", "--installed"]) {
      const refused = await run(alice, "list", "--personal", other);

      assert.equal(refused.error.code, "E_INVALID_ARGUMENT");
      assert.match(String(refused.error.details?.["flag"]), /^--(personal|public|installed)$/);
    }
  });

  it("reports that an organization's token has no workspace", async () => {
    const minted = await service.call<{ token: string }>("POST", `/api/tenants/${fixture.org.id}/tokens`, {
      token: fixture.owner.token,
      body: { name: "ci" },
    });
    const token = { ...fixture.owner, token: minted.data.token };
    for (const argv of [
      ["list", "--personal"],
      ["publish", "notes.md", "--personal", "-t", fixture.org.slug],
    ]) {
      const refused = await run(token, ...argv);

      assert.equal(refused.error.code, "E_API", argv.join(" "));
      assert.match(refused.error.message, /no personal workspace/);
    }
  });
});
