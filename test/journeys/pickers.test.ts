/** The questions of `install`, `publish`, `uninstall` and `delete` at a terminal, with the built `svc`. */
import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, describe, it } from "node:test";
import { answer, startRegistry, startServer } from "../cli/harness.ts";
import { writeTree } from "../support/file-tree.ts";
import { root } from "../support/root.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";
import { needsTerminal, openTerminal } from "../support/terminal.ts";

const [enter, space, down] = ["\r", " ", "\u001B[B"];

function setUp(t: TestContext, apiUrl: string) {
  const [home, project] = ["home", "project"].map((name) => realpathSync(temporaryFolder(name))) as [
    string,
    string,
  ];
  t.after(() => [home, project].forEach(removeFolder));
  const open = (...args: string[]) =>
    openTerminal([process.execPath, path.join(root, "bin", "svc"), ...args], {
      cwd: project,
      columns: 120,
      env: { HOME: home, SVC_API_URL: apiUrl, SVC_TOKEN: `lsk_${"ab".repeat(32)}`, SVC_NO_UPDATE_CHECK: "1" },
    });
  return { home, project, open };
}

describe("svc install without flags", needsTerminal, () => {
  const skills = [
    {
      slug: "review",
      publicId: "aaaaaaaaaa",
      name: "Review",
      versions: [{ semver: "1.0.0", body: "one\n" }],
    },
  ];

  it("asks for tools, scope and method, with the detected tools preselected", async (t) => {
    const { home, project, open } = setUp(t, await startRegistry(t, skills));
    mkdirSync(path.join(home, ".cursor"));
    mkdirSync(path.join(project, ".windsurf"));

    const terminal = open("install", "review");
    await terminal.until(/Into which tools\?[\s\S]*Aider/);
    assert.match(terminal.text(), /Cursor.*installed/);
    assert.match(terminal.text(), /Windsurf.*used in this project/);
    terminal.type(enter);
    await terminal.until(/Where\?[\s\S]*In this project/);
    terminal.type(down + enter);
    await terminal.until(/How\?[\s\S]*Copied/);
    terminal.type(down + down + enter);

    assert.equal(await terminal.ended, 0);
    for (const file of [".cursor/rules/review.mdc", ".windsurf/rules/review.md"])
      assert.ok(lstatSync(path.join(project, file)).isFile(), file);
    assert.deepEqual(readdirSync(project).sort(), [".cursor", ".windsurf"]);
    assert.deepEqual(readdirSync(path.join(home, ".cursor")), []);
  });

  it("asks once before it installs from an organization that is new to the user", async (t) => {
    const publisher = { tenantId: "t2", tenantSlug: "globex" };
    const { home, open } = setUp(t, await startRegistry(t, [{ ...skills[0]!, publisher }]));
    const line = ["install", "globex/review", "-t", "claude", "-g"];

    const declined = open(...line);
    await declined.until(/globex is not one of your organizations\./);
    declined.type("n");
    assert.equal(await declined.ended, 130);
    assert.ok(!existsSync(path.join(home, ".claude")));
    const agreed = open(...line);
    await agreed.until(/trust globex from now on\?/);
    agreed.type("y");
    assert.equal(await agreed.ended, 0);
    assert.match(agreed.text(), /from globex\/review/);
    assert.equal(await open("uninstall", "review").ended, 0);

    const again = open(...line);

    assert.equal(await again.ended, 0);
    assert.doesNotMatch(again.text(), /one of your organizations/);
  });

  it("asks about a suspicious version of another organization, and not about an own one", async (t) => {
    const publisher = { tenantId: "t2", tenantSlug: "globex" };
    const scan = { state: "done" as const, verdict: "suspicious" as const, rules: [] };
    const versions = [{ ...skills[0]!.versions[0]!, scan, warnings: ["The scan found it suspicious."] }];
    const foreign = { ...skills[0]!, publicId: "bbbbbbbbbb", publisher, versions };
    const { home, open } = setUp(t, await startRegistry(t, [{ ...skills[0]!, versions }, foreign]));
    const line = ["install", "globex/review", "-t", "claude", "-g", "--trust", "globex"];

    const declined = open(...line);
    await declined.until(/globex\/review 1\.0\.0 found it suspicious\. Install it all the same\?/);
    declined.type("n");
    assert.equal(await declined.ended, 130);
    assert.ok(!existsSync(path.join(home, ".claude")));
    const agreed = open(...line);
    await agreed.until(/Install it all the same\?/);
    agreed.type("y");
    assert.equal(await agreed.ended, 0);
    assert.ok(existsSync(path.join(home, ".claude")));

    const own = open("install", "acme/review", "-t", "codex", "-g");

    assert.equal(await own.ended, 0);
    assert.doesNotMatch(own.text(), /all the same/);
  });

  it("changes nothing if the question is cancelled", async (t) => {
    const { home, project, open } = setUp(t, await startRegistry(t, skills));
    const terminal = open("install", "review", "-g");
    await terminal.until(/Into which tools\?/);
    terminal.type("\u0003");
    assert.equal(await terminal.ended, 130);
    assert.deepEqual(readdirSync(project), []);
    assert.ok(!existsSync(path.join(home, ".svc", "config.json")));
  });
});

describe("svc publish without a path", needsTerminal, () => {
  it("offers skills in the tools' folders, publishes the selected ones, and reports failures", async (t) => {
    const posts: Record<string, unknown>[] = [];
    const apiUrl = await startServer(t, async (request, response, url) => {
      if (url.pathname === "/api/tenants")
        return answer(response, 200, { success: true, data: [{ id: "t0", slug: "org", name: "Org" }] });
      const body = JSON.parse((await buffer(request)).toString()) as Record<string, unknown>;
      if (url.pathname === "/api/skills/plan") {
        const name = String(body["name"]);
        const planned = { slug: name, tenantSlug: "org", name, type: "skill", visibility: "private" };
        return answer(response, 200, {
          success: true,
          data: {
            action: "created",
            unchanged: name === "known",
            skill: planned,
            semver: "1.0.0",
            ignoredFlags: [],
          },
        });
      }
      const { contentLocation: _digest, ...rest } = body;
      posts.push(rest);
      if (body["name"] === "bad")
        return answer(response, 403, {
          success: false,
          error: "Not yours.",
          code: "forbidden",
          requestId: "r",
        });
      const name = String(body["name"]);
      const skill = {
        publicId: "p",
        slug: name,
        name,
        type: "skill",
        visibility: "private",
        currentVersion: 1,
        currentSemver: "1.0.0",
        tenantId: "t0",
        tenantSlug: "org",
        folderId: null,
      };
      const version = { version: 1, semver: "1.0.0", format: "markdown" };
      const data = {
        action: "created",
        unchanged: false,
        skill,
        version,
        url: "http://x/s/p",
        ignoredFlags: [],
        warnings: [],
      };
      answer(response, 201, { success: true, data });
    });
    const { home, project, open } = setUp(t, apiUrl);
    const bytes = (text: string) => ({ bytes: Buffer.from(text) });
    writeTree(project, {
      ".cursor/rules/style.mdc": bytes(
        "---\ndescription: Be brief\nglobs: *.ts\nalwaysApply: true\n---\n\nBrief.\n",
      ),
      ".claude/skills/bad/SKILL.md": bytes("x\n"),
    });
    writeTree(home, {
      ".claude/skills/mine/SKILL.md": bytes("---\nname: mine\ndescription: d\n---\n\nMine.\n"),
      ".claude/skills/known/SKILL.md": bytes("---\nname: known\n---\n\nKnown.\n"),
    });

    const terminal = open("publish");
    await terminal.until(/Which of your skills and rules\?[\s\S]*mine/);
    assert.match(terminal.text(), /1 skill is published with the same content already[\s\S]*style/);
    for (const label of [
      "style (.cursor/rules/style.mdc)",
      "bad (.claude/skills/bad/SKILL.md)",
      "mine (~/.claude/skills/mine/SKILL.md)",
    ])
      assert.ok(terminal.text().includes(label), terminal.text());
    terminal.type(space + down + space + down + space + enter);

    assert.equal(await terminal.ended, 1);
    const common = { mode: "upsert", tenantId: "t0", ifChanged: true };
    assert.deepEqual(posts, [
      {
        ...common,
        name: "style",
        type: "rule",
        content: '---\ndescription: Be brief\nglobs: "*.ts"\nalwaysApply: true\n---\n\nBrief.\n',
      },
      { ...common, name: "bad", content: "x\n" },
      { ...common, name: "mine", content: "---\nname: mine\ndescription: d\n---\n\nMine.\n" },
    ]);
    assert.match(
      terminal.text(),
      /org\/style +created[\s\S]*org\/mine +created[\s\S]*failed.*bad.*Not yours[\s\S]*2 created, 1 failed/,
    );
  });

  it("asks for a path if nothing is found", async (t) => {
    const { open } = setUp(t, "http://127.0.0.1:9");
    const terminal = open("publish");
    await terminal.until(/Which file or folder\?/);
    terminal.type("\u0003");
    assert.equal(await terminal.ended, 130);
  });
});

describe("svc uninstall", needsTerminal, () => {
  it("lists the locations outside the project, and asks", async (t) => {
    const skill = { slug: "review", publicId: "aaaaaaaaaa", name: "Review" };
    const registry = await startRegistry(t, [{ ...skill, versions: [{ semver: "1.0.0", body: "one\n" }] }]);
    const { home, project, open } = setUp(t, registry);
    for (const flag of ["-g", "-p"])
      assert.equal(await open("install", "review", "-t", "claude", flag).ended, 0);
    const places = [home, project].map((folder) => path.join(folder, ".claude/skills/review"));

    const declined = open("uninstall", "review");
    await declined.until(/Remove it there too\?/);
    assert.match(declined.text(), /Outside .*, this also removes:/);
    assert.ok(declined.text().includes(places[0]!));
    declined.type("n");
    assert.equal(await declined.ended, 130);
    for (const place of places) assert.ok(existsSync(place), place);

    assert.equal(await open("uninstall", "review", "-p").ended, 0);
    assert.deepEqual(places.map(existsSync), [true, false]);
  });
});

describe("svc publish of a folder of skills", needsTerminal, () => {
  it("shows the plan, and publishes only after a yes", async (t) => {
    const posts: string[] = [];
    const apiUrl = await startServer(t, async (request, response, url) => {
      if (url.pathname === "/api/tenants")
        return answer(response, 200, { success: true, data: [{ id: "t0", slug: "org", name: "Org" }] });
      const { name } = JSON.parse((await buffer(request)).toString()) as { name: string };
      if (url.pathname !== "/api/skills/plan") posts.push(`${url.pathname} ${name}`);
      const skill = { slug: name, tenantSlug: "org", name, type: "skill", visibility: "private" };
      const plan = { action: "created", unchanged: name === "b", skill, semver: "1.0.0", ignoredFlags: [] };
      return answer(response, 200, { success: true, data: plan });
    });
    const { project, open } = setUp(t, apiUrl);
    const text = (name: string) => ({ bytes: Buffer.from(`---\nname: ${name}\ndescription: d\n---\nx\n`) });
    writeTree(project, { "skills/a/SKILL.md": text("a"), "skills/b/SKILL.md": text("b") });

    const terminal = open("publish", "skills");
    await terminal.until(/org\/a +created +1\.0\.0[\s\S]*org\/b +unchanged[\s\S]*Publish this skill\?/);
    terminal.type("n");

    assert.equal(await terminal.ended, 130);
    assert.deepEqual(posts, []);
  });
});

describe("svc install without a reference", needsTerminal, () => {
  it("offers every skill, also beyond the first page", async (t) => {
    const skills = Array.from({ length: 450 }, (_, i) => ({
      publicId: `p${String(i).padStart(9, "0")}`,
      slug: `skill-${i}`,
      name: `Skill ${i}`,
      description: "",
      type: "skill",
      visibility: "private",
      currentVersion: 1,
      currentSemver: "1.0.0",
      tenantId: "t1",
      tenantSlug: "acme",
      folderId: null,
    }));
    const apiUrl = await startServer(t, (_request, response, url) => {
      const from = Number(url.searchParams.get("cursor") ?? 0);
      const next = from + 200 < skills.length ? String(from + 200) : null;
      answer(response, 200, { success: true, data: skills.slice(from, from + 200), nextCursor: next });
    });
    const { open } = setUp(t, apiUrl);

    const terminal = open("install");
    await terminal.until(/Which skill\?/);
    terminal.type("skill-449");
    await terminal.until(/acme\/skill-449/);
    terminal.type("\u0003");

    assert.equal(await terminal.ended, 130);
  });
});

describe("svc delete", needsTerminal, () => {
  it("deletes the skill only after its name was typed", async (t) => {
    const deleted: string[] = [];
    const skill = { slug: "review", publicId: "aaaaaaaaaa", name: "Review" };
    const registry = await startRegistry(
      t,
      [{ ...skill, versions: [{ semver: "1.0.0", body: "one\n" }] }],
      (request, response, url) => {
        if (request.method !== "DELETE") return false;
        deleted.push(url.pathname);
        answer(response, 200, { success: true, data: null });
        return true;
      },
    );
    const { open } = setUp(t, registry);
    const typeName = async (name: string) => {
      const terminal = open("delete", "review");
      await terminal.until(/Type "review" to delete acme\/review/);
      terminal.type(name + enter);
      return { code: await terminal.ended, text: terminal.text() };
    };

    const refused = await typeName("revie");
    assert.deepEqual([refused.code, deleted], [1, []]);
    assert.match(refused.text, /nothing was deleted/);

    const done = await typeName("review");
    assert.deepEqual([done.code, deleted], [0, ["/api/skills/aaaaaaaaaa"]]);
    assert.match(done.text, /Deleted .*acme\/review/);
  });
});
