/** Marketplaces in the tools that install from them: Claude Code and Codex (`plugin-tools.ts`). */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { claudeSettings } from "../../contract/text/marketplace-texts.ts";
import { root } from "../support/root.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";
import type { ReachFixture } from "./fixture.ts";
import { needsTool, setUpTools } from "./plugin-tools.ts";
import type { Ran } from "./real-client.ts";

const { service } = await setUpOrganization();

async function setUp(t: TestContext) {
  const fixture: ReachFixture = { service, ...(await newOrganization(service)) };
  const { org, owner } = fixture;
  const publish = async (name: string, content: string, visibility = "public") => {
    const body = { tenantId: org.id, name, content, description: `About ${name}.`, visibility };
    const answer = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
      token: owner.token,
      body,
    });
    assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body));
    return answer.data.skill.id;
  };
  return { org, owner, publish, ...(await setUpTools(t)) };
}

const ok = ({ code, output }: Ran) => assert.equal(code, 0, output);

describe("Claude Code", { skip: needsTool("claude") }, () => {
  it("finds no fault in a marketplace, installs and updates from it", async (t) => {
    const { org, home, claude, publish, installed } = await setUp(t);
    await publish("Release notes", "first\n");
    const address = `${service.url}/${org.slug}.git`;
    ok(await claude("plugin", "marketplace", "add", address));
    const clone = join(home, "claude/plugins/marketplaces", org.slug);
    ok(await claude("plugin", "validate", clone));
    ok(await claude("plugin", "validate", join(clone, "plugins/release-notes")));
    ok(await claude("plugin", "install", `release-notes@${org.slug}`));
    assert.match(installed("claude", "release-notes").join(), /first/);

    await publish("Release notes", "second\n");
    ok(await claude("plugin", "marketplace", "update", org.slug));
    ok(await claude("plugin", "update", `release-notes@${org.slug}`));
    assert.match(installed("claude", "release-notes").join(), /second/);
  });

  it("follows a rename and a deletion", async (t) => {
    const { org, owner, claude, publish, installed, home } = await setUp(t);
    const id = await publish("Relnotes", "first\n");
    ok(await claude("plugin", "marketplace", "add", `${service.url}/${org.slug}.git`));
    ok(await claude("plugin", "install", `relnotes@${org.slug}`));
    const body = { slug: "release-notes" };
    const renamed = await service.call("POST", `/api/skills/${id}/rename`, { token: owner.token, body });
    assert.equal(renamed.status, 200);
    await publish("Relnotes", "second\n");

    ok(await claude("plugin", "marketplace", "update", org.slug));
    ok(await claude("plugin", "install", `release-notes@${org.slug}`));
    const enabled = () => {
      const settings = readFileSync(join(home, "claude/settings.json"), "utf8");
      return (JSON.parse(settings) as { enabledPlugins: object }).enabledPlugins;
    };
    assert.deepEqual(enabled(), { [`release-notes@${org.slug}`]: true });
    assert.match(installed("claude", "release-notes").join(), /second/);

    await publish("Other notes", "first\n");
    const deleted = await service.call("DELETE", `/api/skills/${id}`, { token: owner.token });
    assert.equal(deleted.status, 200);
    ok(await claude("plugin", "marketplace", "update", org.slug));
    ok(await claude("plugin", "install", `other-notes@${org.slug}`));
    assert.deepEqual(enabled(), { [`other-notes@${org.slug}`]: true });
  });

  it("follows a history that began anew without a skill that is not public any more", async (t) => {
    const { org, owner, home, claude, publish } = await setUp(t);
    await publish("Release notes", "first\n");
    const id = await publish("Withdrawn", "withdrawn text\n");
    ok(await claude("plugin", "marketplace", "add", `${service.url}/${org.slug}.git`));
    const body = { visibility: "private" };
    const hidden = await service.call("PUT", `/api/skills/${id}`, { token: owner.token, body });
    assert.equal(hidden.status, 200);
    await publish("Release notes", "second\n");

    ok(await claude("plugin", "marketplace", "update", org.slug));
    const clone = join(home, "claude/plugins/marketplaces", org.slug);
    assert.ok(!existsSync(join(clone, "plugins/withdrawn")));
    assert.match(
      readFileSync(join(clone, "plugins/release-notes/skills/release-notes/SKILL.md"), "utf8"),
      /second/,
    );
  });

  it("reads a private marketplace with the login of svc", async (t) => {
    const { org, owner, home, env, claude, publish, installed } = await setUp(t);
    await publish("Inside", "for members\n", "private");
    Object.assign(env, { SVC_API_URL: service.url, SVC_TOKEN: owner.token });
    const helper = `!'${process.execPath}' '${join(root, "bin/svc")}' auth git`;
    writeFileSync(join(home, ".gitconfig"), `[credential "${service.url}"]\n\thelper = "${helper}"\n`);
    const name = `${org.slug}-members`;
    ok(await claude("plugin", "marketplace", "add", `${service.url}/${org.slug}/-/members.git`));
    ok(await claude("plugin", "install", `inside@${name}`));
    assert.match(installed("claude", "inside").join(), /for members/);
    const known = JSON.parse(readFileSync(join(home, "claude/plugins/known_marketplaces.json"), "utf8"));
    const gitUrl = `${service.url}/${org.slug}/-/members.git`;
    const settings = claudeSettings({ name, gitUrl, isPublic: false, requiredPlugins: [] })
      .extraKnownMarketplaces[name];
    assert.deepEqual(known[name].source, settings?.source);
  });
});

describe("Codex", { skip: needsTool("codex") }, () => {
  it("installs from a marketplace, and updates", async (t) => {
    const { org, codex, publish, installed } = await setUp(t);
    await publish("Release notes", "first\n");
    ok(await codex("plugin", "marketplace", "add", `${service.url}/${org.slug}.git`));
    ok(await codex("plugin", "add", `release-notes@${org.slug}`));
    assert.match(installed("codex", "release-notes").join(), /first/);

    await publish("Release notes", "second\n");
    ok(await codex("plugin", "marketplace", "upgrade", org.slug));
    ok(await codex("plugin", "add", `release-notes@${org.slug}`));
    assert.match(installed("codex", "release-notes").join(), /second/);
  });
});
