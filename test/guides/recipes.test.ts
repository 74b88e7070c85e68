/** The recipes for the API, each executed as it is written, one after the other, in one folder and by one shell. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "node:test";
import { plainGitEnv } from "../support/native-git.ts";
import { confirmAddress, newMember } from "../support/organization.ts";
import { root } from "../support/root.ts";
import { temporaryFolder } from "../support/server.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();
await confirmAddress(service, owner);
const member = await newMember(service, org, "member");
const folder = temporaryFolder("recipes");

const guide = readFileSync(path.join(root, "docs/guides/api.md"), "utf8");
const scriptIn = (section: string) => /```sh\n(.*?)```/s.exec(section)?.[1] ?? "";
const [opening = "", ...recipes] = guide.split(/^### /m);
/** The function of the first section; its variables are those of the test. */
const prelude = scriptIn(opening).replace(/^export .*$/m, "");
const variables = { SVC_URL: service.url, SVC_TOKEN: owner.token, ORG: org.slug };

/** The reason why the recipes can't be executed here, if any. */
function whyNoPrograms(): string | undefined {
  const missing = ["bash", "curl", "jq", "python3", "sha256sum"].filter(
    (name) => spawnSync(name, ["--version"]).error !== undefined,
  );
  if (missing.length === 0) return undefined;
  const reason = `install ${missing.join(", ")} to run the recipes`;
  if (process.env["CI"]) throw new Error(`No programs in CI: ${reason}`);
  return reason;
}

async function run(script: string): Promise<string> {
  await service.settled();
  return new Promise((resolve, reject) => {
    const argv = ["-euo", "pipefail", "-c", `${prelude}\n${script}`];
    execFile(
      "bash",
      argv,
      { cwd: folder, env: { ...plainGitEnv, ...variables } },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${script}\n${stdout}${stderr}`));
        else resolve(stdout.trim());
      },
    );
  });
}

const mirrorOf = (slug: string) => path.join(folder, `mirror/${slug}.git`);

/** Changes what the second run of the recipe for mirrors has to do. */
async function changeMirrored(): Promise<void> {
  for (const slug of ["code-review", "kit"]) assert.ok(existsSync(path.join(mirrorOf(slug), "HEAD")));
  await rm(mirrorOf("kit"), { recursive: true });
  const made = await service.call("POST", `/api/skills/${org.slug}~code-review/versions`, {
    token: owner.token,
    body: { content: "# Code review\n\nNinth.\n", semver: "9.0.0" },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
}

/** The output of each recipe, or a check of its effect. */
const expected: Record<string, RegExp | ((output: string) => void)> = {
  "Publish a text": /^created code-review 1\.0\.0$/,
  "Publish a folder of a Git repository": /^kit$/,
  "Push a version only if the content differs": /^1\.1\.0$/,
  "Publish a prerelease": /^1\.1\.1-beta\.0$/,
  "Check a text without publishing it": /^\{/,
  "Go back to an earlier version": /^1\.0\.0$/,
  "Advise against a version": /^Use 1\.1 or newer\.$/,
  "List all skills of an organization": /^code-review\t1\.0\.0\tprivate\nkit\t1\.0\.0\tprivate$/,
  Search: /code-review/,
  "Save the text of each version": () => {
    for (const [semver, text] of [
      ["1.0.0", "First."],
      ["1.1.0", "Second."],
      ["1.1.1-beta.0", "A draft."],
    ] as const)
      assert.match(readFileSync(path.join(folder, `code-review-${semver}.md`), "utf8"), new RegExp(text));
  },
  "Download a package and check its files": () =>
    assert.equal(readFileSync(path.join(folder, "kit/scripts/run.sh"), "utf8"), "echo kit\n"),
  "Find the version that a range selects": /^1\.0\.0$/,
  "Compare two versions": /^-First\.\n\+Second\.$/m,
  "Mirror an organization": () => {
    assert.ok(existsSync(mirrorOf("kit")));
    const { stdout } = spawnSync("git", ["-C", mirrorOf("code-review"), "tag"], { encoding: "utf8" });
    assert.match(stdout, /^v9\.0\.0$/m);
  },
  "Move skills into a folder": /^code-review is in engineering\/reviews\nkit is in engineering\/reviews$/,
  "Change the visibility of a skill": /^public$/,
  "Make a collection that everyone has to install": /^getting-started$/,
  "Restrict a folder to a team": /^true$/,
  "Find out who may read a skill": new RegExp(`${owner.username}.*read`, "i"),
  "Invite people from a list": /^grace@example\.com invited\nalan@example\.com invited$/,
  "List members with their roles": new RegExp(`"${member.username}","member"`),
  "Replace a token": /^ci-2026-12$/,
  "List tokens that expire within a month": /^$/,
  "Report outdated installs": /^\{/,
  "Read the audit log of a day": /skill\.created/,
  "Turn ids into names": /"name": "Code review"/,
};

describe("the recipes for the API", { skip: whyNoPrograms() ?? false }, async () => {
  await mkdir(path.join(folder, "skills/kit"), { recursive: true });
  await run(`
    git init --quiet && git config user.name ada && git config user.email ada@example.com
    mkdir -p skills/kit/scripts && echo 'echo kit' > skills/kit/scripts/run.sh
    printf -- '---\\nname: kit\\ndescription: A kit.\\n---\\nRun it.\\n' > skills/kit/SKILL.md
    git add . && git commit --quiet --message kit`);
  const write = (text: string) =>
    writeFile(
      path.join(folder, "SKILL.md"),
      `---\ndescription: Reviews code.\n---\n# Code review\n\n${text}\n`,
    );
  await write("First.");

  it("are as many as there are checks", () =>
    assert.deepEqual(
      recipes.map((recipe) => recipe.split("\n")[0]),
      Object.keys(expected),
    ));

  for (const recipe of recipes) {
    const title = recipe.split("\n")[0]!;
    it(`do what they say: ${title}`, async () => {
      if (title.startsWith("Push a version")) await write("Second.");
      if (title === "Replace a token") {
        const body = { name: "old", expiresInDays: 7 };
        const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
          cookie: owner.cookie,
          body,
        });
        variables.SVC_TOKEN = made.data.token;
      }
      let script = scriptIn(recipe);
      if (title === "Mirror an organization") {
        await run(script);
        await changeMirrored();
        script = script.replace("limit=200", "limit=1");
      }
      const output = await run(script);
      if (title === "Replace a token") {
        const left = await service.call("GET", "/api/user/tokens/current", { token: variables.SVC_TOKEN });
        assert.equal(left.status, 401, "the old token is revoked");
        variables.SVC_TOKEN = owner.token;
      }
      const check = expected[title]!;
      if (check instanceof RegExp) assert.match(output, check);
      else check(output);
    });
  }
});
