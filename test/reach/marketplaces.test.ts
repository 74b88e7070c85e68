/** Marketplaces as Git repositories, with the real git program. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { governed, newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";
import { makeZip } from "../support/zip.ts";
import { jsonIn, namesIn, openClones } from "./git-clones.ts";

const { service, owner, org } = await setUpOrganization();
const member = await newMember(service, org, "member");
const granted = await newMember(service, org, "member");
const { owner: stranger } = await newOrganization(service);
const { git, gitDone, addressOf, clone, everythingIn } = await openClones(service, org);
const [open, members] = [".git", "/-/members.git"];

async function publish(name: string, fields: Record<string, unknown> = {}): Promise<PublishResult> {
  const body = { tenantId: org.id, name, content: `# ${name}\n`, description: `About ${name}.`, ...fields };
  const answer = await service.call<PublishResult>("POST", "/api/skills", { token: owner.token, body });
  assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body));
  return answer.data;
}

const log = (clonedTo: string) => gitDone("-C", clonedTo, "log", "--format=%s");

describe("the marketplace of public skills", () => {
  it("does not exist before there is one", async () => {
    const { code, stderr } = await git("ls-remote", addressOf(open));
    assert.notEqual(code, 0);
    assert.match(stderr, /not found|404/i);
  });

  it("has the files of each tool, and the skills' own", async () => {
    await publish("Release notes", { visibility: "public", tags: ["git"] });
    const bytes = makeZip([
      { name: "SKILL.md", data: "---\nname: packed\ndescription: A package.\n---\nRun it.\n" },
      { name: "scripts/run.sh", data: "#!/bin/sh\necho packed\n" },
    ]);
    const uploadId = await service.upload(owner, bytes);
    await publish("Packed", { uploadId, visibility: "public", content: undefined, description: undefined });

    const to = await clone(open);
    assert.deepEqual(namesIn(to), ["packed", "release-notes"]);
    assert.equal(jsonIn(to, ".claude-plugin/marketplace.json").name, org.slug);
    for (const file of [".github/plugin", ".agents/plugins", ".cursor-plugin"])
      assert.equal(jsonIn(to, `${file}/marketplace.json`).plugins.length, 2);
    for (const tool of ["claude", "codex", "cursor", "devin"])
      assert.equal(jsonIn(to, `plugins/packed/.${tool}-plugin/plugin.json`).name, "packed");
    assert.match(
      readFileSync(path.join(to, "plugins/release-notes/skills/release-notes/SKILL.md"), "utf8"),
      /# Release notes/,
    );
    assert.equal(
      readFileSync(path.join(to, "plugins/packed/skills/packed/scripts/run.sh"), "utf8"),
      "#!/bin/sh\necho packed\n",
    );
    assert.equal(await gitDone("-C", to, "fsck", "--full", "--strict"), "");
  });

  it("has rules where a tool has a place for them", async () => {
    const content = '---\nglobs: "src/**/*.ts"\n---\nUse **tabs**.\n';
    const rule = await publish("House style", { visibility: "public", type: "rule", content });
    const to = await clone(open);
    assert.deepEqual(namesIn(to, ".cursor-plugin"), ["house-style", "packed", "release-notes"]);
    for (const other of [".claude-plugin", ".github/plugin", ".agents/plugins"])
      assert.deepEqual(namesIn(to, other), ["packed", "release-notes"]);
    const files = await gitDone("-C", to, "ls-files", "plugins/house-style");
    assert.equal(
      files,
      "plugins/house-style/.cursor-plugin/plugin.json\nplugins/house-style/rules/house-style.mdc",
    );
    assert.equal(
      readFileSync(path.join(to, "plugins/house-style/rules/house-style.mdc"), "utf8"),
      '---\ndescription: "About House style."\nglobs: src/**/*.ts\nalwaysApply: false\n---\n\nUse **tabs**.\n',
    );
    await service.call("DELETE", `/api/skills/${rule.skill.id}`, { token: owner.token });
    assert.doesNotMatch(await everythingIn(open), /tabs/);
  });

  it("gets one commit for each change, on the same history", async () => {
    const before = await clone(open);
    await publish("Release notes", { content: "second\n", mode: "update" });
    await publish("Third", { visibility: "public" });
    await gitDone("-C", before, "pull", "--quiet", "--ff-only");
    assert.equal(await log(before), ["third 1.0.0", "release-notes 1.0.1", "All skills: 2"].join("\n"));
    const manifest = jsonIn(before, "plugins/release-notes/.claude-plugin/plugin.json");
    assert.equal(manifest.version, "1.0.1");
    const again = await clone(open);
    assert.equal(await log(again), await log(before));
  });

  it("begins a new history without a skill that is not public any more", async () => {
    const secret = await publish("Secret", { visibility: "public", content: "the launch code\n" });
    const old = await clone(open);
    assert.ok(namesIn(old).includes("secret"));
    const oid = await gitDone("-C", old, "rev-parse", "HEAD:plugins/secret/skills/secret");
    const answer = await service.call("PUT", `/api/skills/${secret.skill.id}`, {
      token: owner.token,
      body: { visibility: "private" },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));

    assert.doesNotMatch(await everythingIn(open), /launch code/);
    const fresh = await clone(open);
    const direct = await git("-C", fresh, "fetch", "origin", oid);
    assert.notEqual(direct.code, 0);
    assert.match(direct.stderr, /not our ref/);
    assert.equal(await log(fresh), "All skills: 3");
  });

  it("refuses a push", async () => {
    const to = await clone(open);
    const { code, stderr } = await git("-C", to, "push", "origin", "HEAD:refs/heads/x");
    assert.notEqual(code, 0);
    assert.match(stderr, /read-only|403/);
  });
});

describe("the marketplace of a collection", () => {
  it("leaves out what some readers of its folder could not read, and has what all of them can", async () => {
    const team = await newFolder(service, org, owner, "team");
    await newFolder(service, org, owner, "team/inner");
    const other = await newFolder(service, org, owner, "other");
    const published = [
      await publish("Team skill", { folder: "team" }),
      await publish("Inner skill", { folder: "team/inner" }),
      await publish("Other skill", { folder: "other", content: "of another team\n" }),
      await publish("Common skill"),
    ];
    await restrict(service, owner, team.id, [{ type: "member", id: granted.id, level: "viewer" }]);
    await restrict(service, owner, other.id, []);
    const made = await service.call("POST", `/api/tenants/${org.slug}/collections`, {
      token: owner.token,
      body: { name: "Tools", folderId: team.id, skills: published.map(({ skill }) => skill.id) },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const place = "/-/collections/tools.git";

    for (const user of [owner, granted]) {
      assert.deepEqual(namesIn(await clone(place, user.token)), [
        "common-skill",
        "inner-skill",
        "team-skill",
      ]);
      assert.doesNotMatch(await everythingIn(place, user.token), /of another team/);
    }
    for (const user of [member, stranger])
      assert.notEqual((await git("ls-remote", addressOf(place, user.token))).code, 0);
    const missing = await git("ls-remote", addressOf("/-/collections/none.git"));
    const hidden = await git("ls-remote", addressOf(place));
    assert.equal(missing.stderr.replaceAll("none", ""), hidden.stderr.replaceAll("tools", ""));
  });

  it("has public skills alone if it is public", async () => {
    const skills = ["packed", "common-skill"];
    const made = await service.call("POST", `/api/tenants/${org.slug}/collections`, {
      token: owner.token,
      body: { name: "Open tools", public: true, skills },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    for (const token of [undefined, owner.token])
      assert.deepEqual(namesIn(await clone("/-/collections/open-tools.git", token)), ["packed"]);
  });

  it("keeps its history when a skill is taken out that its readers can still read", async () => {
    const place = "/-/collections/tools.git";
    const to = await clone(place, owner.token);
    const { data } = await service.call<{ skills: { id: string; slug: string }[] }>(
      "GET",
      `/api/tenants/${org.slug}/collections/tools`,
      { token: owner.token },
    );
    const skills = data.skills.filter(({ slug }) => slug !== "common-skill").map(({ id }) => id);
    const changed = await service.call("PATCH", `/api/tenants/${org.slug}/collections/tools`, {
      token: owner.token,
      body: { skills },
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    await gitDone("-C", to, "pull", "--quiet", "--ff-only");
    assert.deepEqual(namesIn(to), ["inner-skill", "team-skill"]);
  });

  it("has its plugins installed by default while the collection is required", async () => {
    const policies = async () => {
      const to = await clone("/-/collections/tools.git", owner.token);
      const { plugins } = jsonIn(to, ".agents/plugins/marketplace.json");
      return plugins.map((plugin) => (plugin as { policy?: { installation: string } }).policy?.installation);
    };
    for (const [requiredFor, policy] of [
      [["everyone"], "INSTALLED_BY_DEFAULT"],
      [[], "AVAILABLE"],
    ] as const) {
      const address = `/api/tenants/${org.slug}/collections/tools`;
      await service.call("PATCH", address, { token: owner.token, body: { requiredFor } });
      assert.deepEqual(await policies(), [policy, policy]);
    }
  });
});

describe("the repository of a marketplace", () => {
  it("is made again if it is lost", async () => {
    const { marketplaces } = service.app.storage;
    const before = (await marketplaces.find(org.id, "public"))!;
    await service.app.repos.erase({ tenantId: org.id, skillId: before.repoId });
    assert.deepEqual(namesIn(await clone(open)), ["packed", "release-notes", "third"]);
  });

  it("is the same for concurrent clients that are the first to see a change", async () => {
    await publish("Release notes", { content: "third\n", mode: "update" });
    const heads = await Promise.all(
      Array.from({ length: 8 }, () => gitDone("ls-remote", addressOf(open), "refs/heads/main")),
    );
    assert.equal(new Set(heads).size, 1);
  });
});

describe("the marketplace of the members", () => {
  it("exists for members only, with a token", async () => {
    assert.notEqual((await git("ls-remote", addressOf(members))).code, 0);
    assert.notEqual((await git("ls-remote", addressOf(members, stranger.token))).code, 0);
    assert.match(await gitDone("ls-remote", addressOf(members, member.token)), /refs\/heads\/main/);
  });

  it("has private skills, and none of a restricted folder, for every member", async () => {
    const vault = await newFolder(service, org, owner, "vault");
    await publish("In the vault", { folder: "vault", content: "vault secret\n" });
    assert.match(await everythingIn(members, owner.token), /vault secret/);
    await restrict(service, owner, vault.id, [{ type: "member", id: granted.id, level: "viewer" }]);

    for (const user of [owner, granted, member]) {
      const all = await everythingIn(members, user.token);
      assert.match(all, /launch code/);
      assert.doesNotMatch(all, /vault secret/);
    }
    await governed(service, org);
    assert.doesNotMatch(await everythingIn(members, member.token), /vault secret/);
  });

  it("refuses a token that can't read all of it", async () => {
    const inFolder = await newFolder(service, org, owner, "one");
    const minted = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      token: member.token,
      body: { name: "narrow", allowedFolderIds: [inFolder.id] },
    });
    const { code, stderr } = await git("ls-remote", addressOf(members, minted.data.token));
    assert.notEqual(code, 0);
    assert.match(stderr, /403/);
  });
});

describe("a renamed skill in a marketplace", () => {
  it("has its new name, and the list tells clients of the former one", async () => {
    const { skill } = await publish("Relnotes", { visibility: "public" });
    const before = await clone(open);
    assert.ok(namesIn(before).includes("relnotes"));
    const others = jsonIn(before, ".claude-plugin/marketplace.json").renames;
    assert.ok(!("relnotes" in { ...others }));

    const renamed = await service.call("POST", `/api/skills/${skill.id}/rename`, {
      token: owner.token,
      body: { slug: "notes-of-releases" },
    });
    assert.equal(renamed.status, 200);
    await gitDone("-C", before, "pull", "-q");
    assert.ok(namesIn(before).includes("notes-of-releases"));
    assert.ok(!namesIn(before).includes("relnotes"));
    const expected = { ...others, relnotes: "notes-of-releases" };
    assert.deepEqual(jsonIn(before, ".claude-plugin/marketplace.json").renames, expected);
    const catalog = await service.raw("GET", `/${org.slug}/claude/marketplace.json`);
    assert.equal(catalog.status, 200);
    assert.deepEqual(((await catalog.json()) as { renames: object }).renames, expected);
  });

  it("is listed as removed once it is deleted, if it was public, until an owner frees its slug", async () => {
    const made = await newOrganization(service);
    const token = made.owner.token;
    const own = await openClones(service, made.org);
    const stay = await publishSkill(service, made.org, made.owner, { name: "Stays", visibility: "public" });
    const ids = await Promise.all(
      ["public", "private", "unlisted"].map(async (visibility) => {
        const fields = { name: `Was ${visibility}`, visibility };
        return (await publishSkill(service, made.org, made.owner, fields)).id;
      }),
    );
    const renamesIn = async () => {
      await service.settled();
      const folder = await own.clone(open);
      assert.deepEqual(namesIn(folder), [stay.slug]);
      return jsonIn(folder, ".claude-plugin/marketplace.json").renames;
    };
    const [first] = ids;
    const rename = { token, body: { slug: "was-open" } };
    assert.equal((await service.call("POST", `/api/skills/${first}/rename`, rename)).status, 200);
    for (const id of ids)
      assert.equal((await service.call("DELETE", `/api/skills/${id}`, { token })).status, 200);

    assert.deepEqual(await renamesIn(), { "was-open": null, "was-public": null });

    const freed = await service.call("DELETE", `/api/tenants/${made.org.id}/reserved-slugs/was-open`, {
      token,
    });
    assert.equal(freed.status, 200);
    assert.deepEqual(await renamesIn(), { "was-public": null });
  });
});
