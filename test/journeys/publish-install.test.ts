/**
 * The main use, end to end, with the built service and the built `svc`: publish, read the commit, install into three
 * tools, push, pull, revert, uninstall.
 */
import assert from "node:assert/strict";
import { readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, it } from "node:test";
import { keepContract } from "../support/cli-contract.ts";
import { snapshot, writeTree } from "../support/file-tree.ts";
import { callApi } from "../support/http-client.ts";
import { assertSound, git, repositoryOf, waitForTags } from "../support/native-git.ts";
import { removeFolder } from "../support/server.ts";
import { setUpJourney } from "./set-up.ts";

const bytes = (text: string) => Buffer.from(text);
const allTargets = ["-t", "claude,cursor,codex"] as const;

const textBody = "# Reviewing\n\nRead the **diff** first.\n\n```sh\ngit diff\n```\n";
const textFile = `---\nname: Code review\ndescription: "Reviews: a diff & more"\ntags: [review]\n---\n\n${textBody}`;

const { server, dataDir, account, tenantId, home, project, work, svc } = await setUpJourney("ada", false);

/** Files of the user in the same folders and files, before svc is used. */
function layOutForeignThings(): void {
  for (const base of [home, project]) {
    writeTree(base, {
      ".claude/skills/mine/SKILL.md": { bytes: bytes("mine\n") },
      ".cursor/rules/mine.mdc": { bytes: bytes("mine\n") },
      ".cursor/skills/mine/SKILL.md": { bytes: bytes("mine\n") },
      ".agents/skills/mine/SKILL.md": { bytes: bytes("mine\n") },
    });
  }
  writeTree(home, { ".codex/AGENTS.md": { bytes: bytes("# Mine\r\n\r\nKeep this.\r\n") } });
  writeTree(project, { "AGENTS.md": { bytes: bytes("# Project\n\nKeep this, too") } });
}

/** Everything outside the client's own folder. */
const outside = () => ({ home: snapshot(home, [".svc"]), project: snapshot(project) });

const scopes = [
  { name: "project", flags: () => ["--project", project] },
  { name: "user", flags: () => ["--global"] },
] as const;

describe("svc login", () => {
  it("rejects an invalid token, and one that the service does not know", async () => {
    assert.equal((await svc.failure(["login", "--token", "hunter2"])).code, "E_INVALID_ARGUMENT");
    const unknown = await svc.failure(["login", "--token", `lsk_${"0".repeat(64)}`]);
    assert.equal(unknown.code, "E_NOT_AUTHENTICATED");
    assert.equal((await svc.failure(["whoami"])).code, "E_NOT_AUTHENTICATED");
  });

  it("stores a token readable by its owner only, and prints the user", async () => {
    const done = keepContract("login", await svc.json(["login", "--token", account.token]));
    assert.deepEqual(done, {
      method: "token",
      user: { username: "ada", name: "Name of ada", email: "ada@example.com" },
    });
    assert.equal(statSync(path.join(home, ".svc", "config.json")).mode & 0o777, 0o600);

    const who = keepContract("whoami", await svc.json(["whoami"]));
    assert.deepEqual(who.memberships, [{ tenantId, slug: "acme", name: "Org acme" }]);
    assert.deepEqual(who.pendingInvitations, []);
  });
});

describe("a text skill", () => {
  let publicId: string;
  let skillId: string;
  let untouched: ReturnType<typeof outside>;

  const rendered = (body: string) => ({
    claude: `---\nname: code-review\ndescription: "Reviews: a diff & more"\ntags: [review]\n---\n\n${body}`,
    rule: `---\ndescription: "Reviews: a diff & more"\nglobs:\nalwaysApply: false\n---\n\n${body}`,
    section: `<!-- svc:start:code-review -->\n## Code review\n\n${body}\n<!-- svc:end:code-review -->\n`,
  });

  /** Every byte that the tools read, in both scopes. */
  function assertInstalled(body: string): void {
    const { claude, rule, section } = rendered(body);
    const read = (...names: string[]) => readFileSync(path.join(...names), "utf8");
    for (const base of [home, project]) {
      assert.equal(read(base, ".claude/skills/code-review/SKILL.md"), claude);
      assert.deepEqual(readdirSync(path.join(base, ".claude/skills/code-review")), ["SKILL.md"]);
    }
    assert.equal(read(project, ".cursor/rules/code-review.mdc"), rule);
    assert.equal(read(home, ".cursor/skills/code-review/SKILL.md"), claude);
    // The user's file has no newline at its end, and has none with our section in it.
    assert.equal(read(project, "AGENTS.md"), `# Project\n\nKeep this, too\n\n${section.trimEnd()}`);
    const crlf = section.replaceAll("\n", "\r\n");
    assert.equal(read(home, ".codex/AGENTS.md"), `# Mine\r\n\r\nKeep this.\r\n\r\n${crlf}`);
  }

  before(() => {
    layOutForeignThings();
    untouched = outside();
    writeFileSync(path.join(work, "review.md"), textFile);
  });

  it("is published as a first version", async () => {
    const done = keepContract("publish", await svc.json(["publish", "review.md", "-m", "Hello"]));
    assert.equal(done.action, "created");
    assert.equal(done.format, "markdown");
    assert.equal(done.fileCount, undefined);
    assert.deepEqual(done.ignoredFlags, []);
    assert.equal(done.skill.slug, "code-review");
    assert.equal(done.skill.visibility, "private");
    assert.equal(done.skill.currentSemver, "1.0.0");
    assert.equal(done.skill.tenantId, tenantId);
    assert.equal(done.skill.folderId, null);
    ({ publicId } = done.skill);

    const [listed, ...rest] = keepContract("list", await svc.json(["list"]));
    assert.deepEqual(rest, []);
    assert.equal(listed?.publicId, publicId);
    assert.equal(listed.description, "Reviews: a diff & more");
    assert.deepEqual(listed.tags, ["review"]);
    assert.deepEqual(keepContract("listPublic", await svc.json(["list", "--public"])), []);
  });

  it("creates no version from the same bytes with --if-changed", async () => {
    const again = keepContract("publish", await svc.json(["publish", "review.md", "--if-changed"]));
    assert.deepEqual([again.skill.currentVersion, again.unchanged], [1, true]);
    assert.equal(again.warnings.length, 1);
    const repeat = ["push", "review.md", "-s", "acme/code-review", "--major", "--if-changed"];
    const pushed = keepContract("push", await svc.json(repeat));
    assert.deepEqual([pushed.version.semver, pushed.unchanged], ["1.0.0", true]);
  });

  it("is rejected by --create, and other names by --update", async () => {
    const taken = await svc.failure(["publish", "review.md", "--create"]);
    assert.equal(taken.code, "E_ALREADY_EXISTS");
    assert.equal((taken.details!["existing"] as { publicId: string }).publicId, publicId);
    const missing = await svc.failure(["publish", "review.md", "--name", "Other", "--update"]);
    assert.equal(missing.code, "E_NOT_FOUND");
  });

  it("is installed into three tools, in a project and for the user", async () => {
    for (const scope of scopes) {
      const done = keepContract(
        "install",
        await svc.json(["install", "acme/code-review", ...allTargets, ...scope.flags()]),
      );
      assert.equal(done.requestedRange, "latest");
      assert.equal(done.installName, "code-review");
      assert.deepEqual(done.skipped, []);
      assert.deepEqual(done.requiredMcpServers, []);
      assert.deepEqual(
        done.installed.map(({ platform, method }) => `${platform} ${method}`).sort(),
        scope.name === "project"
          ? ["claude symlink", "codex section", "cursor symlink"]
          : ["claude symlink", "codex section", "cursor copy"],
      );
      for (const record of done.installed)
        assert.equal(record.projectDir, scope.name === "project" ? project : undefined);
    }
    assertInstalled(textBody);

    const [installed] = keepContract("listInstalled", await svc.json(["list", "--installed"]));
    assert.equal(installed?.pin, "latest");
    assert.equal(installed.targetCount, 6);
  });

  it("is updated to a pushed version by pull only", async () => {
    const newBody = textBody.replace("first", "twice");
    writeFileSync(path.join(work, "review.md"), textFile.replace("first", "twice"));

    const pushed = keepContract(
      "push",
      await svc.json(["push", "review.md", "--skill", "acme/code-review", "--minor", "-m", "Twice"]),
    );
    assert.equal(pushed.skillRef, "acme/code-review");
    assert.equal(pushed.version.semver, "1.1.0");
    assert.equal(pushed.version.message, "Twice");
    ({ skillId } = pushed.version);
    assertInstalled(textBody);

    const pulled = keepContract("pull", await svc.json(["pull"]));
    const updated = {
      outcome: "updated",
      fromVersion: 1,
      fromSemver: "1.0.0",
      toVersion: 2,
      toSemver: "1.1.0",
      warnings: [],
    };
    assert.deepEqual(pulled, {
      skills: [
        {
          publicId,
          slug: "code-review",
          tenantSlug: "acme",
          ...updated,
          scopes: [
            { scope: "global", ...updated },
            { scope: "project", projectDir: realpathSync(project), ...updated },
          ],
        },
      ],
      kept: [],
      summary: { updated: 1, upToDate: 0, failed: 0 },
    });
    assertInstalled(newBody);
    const again = keepContract("pull", await svc.json(["pull", "code-review"]));
    assert.equal(again.skills[0]?.outcome, "upToDate");
  });

  it("repairs removed files, and keeps edited ones", async () => {
    removeFolder(path.join(project, ".claude/skills/code-review"));
    const pulled = keepContract("pull", await svc.json(["pull"]));
    assert.equal(pulled.skills[0]?.outcome, "repaired");

    const edited = path.join(home, ".cursor/skills/code-review/SKILL.md");
    const kept = readFileSync(edited, "utf8");
    writeFileSync(edited, "edited\n");
    const warned = keepContract("pull", await svc.json(["pull"]));
    assert.equal(warned.skills[0]?.outcome, "upToDate");
    assert.equal(warned.skills[0]?.warnings.length, 1);
    assert.equal(readFileSync(edited, "utf8"), "edited\n");
    const forced = keepContract("pull", await svc.json(["pull", "--force"]));
    assert.equal(forced.skills[0]?.outcome, "repaired");
    assert.equal(readFileSync(edited, "utf8"), kept);
  });

  it("lists its versions and marks the current one", async () => {
    const rows = keepContract("versions", await svc.json(["versions", "acme/code-review"]));
    assert.deepEqual(
      rows.map((row) => [row.version, row.semver, row.message, row.current]),
      [
        [2, "1.1.0", "Twice", true],
        [1, "1.0.0", "Hello", false],
      ],
    );
    const one = keepContract("versions", await svc.json(["versions", publicId, "--spec", "<1.1"]));
    assert.deepEqual(
      one.map((row) => row.semver),
      ["1.0.0"],
    );
  });

  it("returns to the earlier version after a revert and a pull", async () => {
    const reverted = await callApi(server.url, "POST", `/api/skills/${publicId}/revert`, {
      token: account.token,
      body: { version: 1 },
    });
    assert.equal(reverted.status, 200);

    const frozen = await svc.failure(["pull", "--frozen"]);
    assert.equal(frozen.code, "E_VERSION_CHANGED");
    assert.deepEqual(
      [frozen.details?.["skill"], frozen.details?.["from"], frozen.details?.["to"]],
      ["code-review", "1.1.0", "1.0.0"],
    );
    const pulled = keepContract("pull", await svc.json(["pull"]));
    assert.deepEqual([pulled.skills[0]?.outcome, pulled.skills[0]?.toSemver], ["updated", "1.0.0"]);
    assertInstalled(textBody);
    assert.deepEqual(keepContract("pull", await svc.json(["pull", "--frozen"])).summary, {
      updated: 0,
      upToDate: 1,
      failed: 0,
    });
  });

  it("never resolves to a prerelease unless requested", async () => {
    writeFileSync(path.join(work, "review.md"), textFile.replace("first", "carefully"));
    const push = ["push", "review.md", "-s", publicId];
    const pre = keepContract("push", await svc.json([...push, "--prerelease", "rc", "--major"]));
    assert.equal(pre.version.semver, "2.0.0-rc.0");

    assert.equal(keepContract("pull", await svc.json(["pull"])).skills[0]?.outcome, "upToDate");
    const hidden = keepContract("versions", await svc.json(["versions", publicId]));
    assert.equal(hidden.length, 2);
    const shown = keepContract("versions", await svc.json(["versions", publicId, "--prerelease"]));
    assert.deepEqual(
      shown.map((row) => [row.semver, row.current]),
      [
        ["2.0.0-rc.0", false],
        ["1.1.0", false],
        ["1.0.0", true],
      ],
    );
    const exact = keepContract("pull", await svc.json(["pull", "code-review", "--version", "2.0.0-rc.0"]));
    assert.equal(exact.skills[0]?.toSemver, "2.0.0-rc.0");
    assertInstalled(textBody.replace("first", "carefully"));
  });

  it("keeps a pin until it is removed", async () => {
    const ranged = keepContract("pull", await svc.json(["pull", "code-review", "--version", "~1.1"]));
    assert.equal(ranged.skills[0]?.toSemver, "1.1.0");
    writeFileSync(path.join(work, "review.md"), textFile.replace("first", "thrice"));
    const push = ["push", "review.md", "-s", publicId];
    assert.equal(
      keepContract("push", await svc.json([...push, "--version", "2.1.0"])).version.semver,
      "2.1.0",
    );
    assert.equal(keepContract("pull", await svc.json(["pull"])).skills[0]?.outcome, "upToDate");
    const [installed] = keepContract("listInstalled", await svc.json(["list", "--installed"]));
    assert.equal(installed?.pin, "~1.1");

    const low = await svc.failure([...push, "--version", "1.5.0"]);
    assert.equal(low.code, "E_API");
    assert.equal(low.details?.["httpStatus"], 422);
    const none = await svc.failure(["pull", "code-review", "--version", "^9"]);
    assert.equal(none.code, "E_NOT_FOUND");
    assert.equal(keepContract("listInstalled", await svc.json(["list", "--installed"]))[0]?.pin, "~1.1");
    const latest = keepContract("pull", await svc.json(["pull", "code-review", "--latest"]));
    assert.equal(latest.skills[0]?.toSemver, "2.1.0");
    assertInstalled(textBody.replace("first", "thrice"));
  });

  it("leaves everything as before when it is uninstalled", async () => {
    const done = keepContract("uninstall", await svc.json(["uninstall", "code-review", "--purge"]));
    assert.equal(done.removed.length, 6);
    assert.deepEqual(done.failed, []);
    assert.equal(done.purged, true);
    assert.deepEqual(outside(), untouched);
    assert.deepEqual(readdirSync(path.join(home, ".svc", "cache")), []);
    assert.equal((await svc.failure(["uninstall", "code-review"])).code, "E_NOT_FOUND");
  });

  it("is a linear history that native git can read", async () => {
    const repository = repositoryOf(path.join(dataDir, "git"), skillId);
    const versions = [
      ["v1.0.0", "first", "Hello"],
      ["v1.1.0", "twice", "Twice"],
      ["v2.0.0-rc.0", "carefully", "Version 2.0.0-rc.0"],
      ["v2.1.0", "thrice", "Version 2.1.0"],
    ] as const;
    await waitForTags(
      repository,
      versions.map(([tag]) => tag),
    );
    assertSound(repository);

    const clone = path.join(work, "clone");
    git(work, "clone", "--quiet", repository, clone);
    const frontmatter =
      '---\nname: code-review\ndescription: "Reviews: a diff & more"\ntags: [review]\n---\n';
    for (const [tag, word, message] of versions) {
      assert.equal(git(clone, "ls-tree", "-r", "--name-only", tag), "SKILL.md\n");
      const text = git(clone, "show", `${tag}:SKILL.md`);
      assert.equal(text, `${frontmatter}\n${textBody.replace("first", word)}`);
      assert.equal(git(clone, "log", "-1", "--format=%s|%an|%cn", tag), `${message}|ada|svc\n`);
    }
    const parents = git(clone, "log", "--format=%P", "v2.1.0").split("\n");
    assert.deepEqual(
      parents.map((line) => line.split(" ").filter(Boolean).length),
      [1, 1, 1, 0, 0],
    );
    assert.equal(git(clone, "rev-parse", "HEAD"), git(clone, "rev-parse", "v2.1.0^{commit}"));
    assert.doesNotMatch(git(clone, "log", "--format=raw", "--all"), /ada@example\.com/);
  });
});

describe("svc logout", () => {
  it("deletes the token, which the caller's own data requires", async () => {
    assert.deepEqual(keepContract("logout", await svc.json(["logout", "--keep-token"])), { loggedOut: true });
    for (const command of [["whoami"], ["list"], ["publish", "review.md"]])
      assert.equal((await svc.failure(command)).code, "E_NOT_AUTHENTICATED");
    assert.deepEqual(keepContract("listPublic", await svc.json(["list", "--public"])), []);
  });

  it("uses SVC_TOKEN for one command, and never stores it", async () => {
    const env = { SVC_TOKEN: account.token };
    assert.equal(keepContract("whoami", await svc.json(["whoami"], { env })).username, "ada");
    assert.doesNotMatch(readFileSync(path.join(home, ".svc", "config.json"), "utf8"), /lsk_/);
  });

  it("distinguishes an unavailable service from one that rejects the request", async () => {
    const away = await svc.failure(["whoami"], { env: { SVC_API_URL: "http://127.0.0.1:9" } });
    assert.equal(away.code, "E_NETWORK");
  });
});
