/** Layouts of repositories with skills: `svc publish`, `svc lint` and the plan of a sync find the same ones. */
import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { runConnection } from "../../workers/sync/run.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { keepContract } from "../support/cli-contract.ts";
import { runGit } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { startCustomers } from "../support/sync/customers.ts";

const customers = await closedAfter(startCustomers());

interface Layout {
  name: string;
  /** Folders of skills; each gets a SKILL.md with its own text. */
  skills: string[];
  /** Further files. */
  files?: Record<string, string>;
  /** Target by path. */
  links?: Record<string, string>;
  /** Paths that are found, sorted; `skills` if absent. */
  found?: string[];
  /** Paths in the plan of a sync, if they differ. */
  committed?: string[];
}

const layouts: Layout[] = [
  { name: "skills/ with categories", skills: ["skills/one", "skills/web/two", "skills/web/forms/three"] },
  {
    name: "plugins of a marketplace",
    skills: ["plugins/a/skills/one", "plugins/b/skills/two", "tool-c/skills/three"],
  },
  {
    name: "folders of tools",
    skills: [".agents/skills/one", ".claude/skills/two", ".cursor/skills/three", ".github/skills/four"],
    files: { ".github/workflows/ci.yml": "on: push\n", ".vscode/skills/none/SKILL.md": "x" },
  },
  {
    name: "links between them",
    skills: ["skills/one", "shared/deep/down/two"],
    links: {
      ".claude/skills/one": "../../skills/one",
      ".agents/skills": "../skills",
      ".cursor/skills/two": "../../shared/deep/down/two",
      ".cursor/skills/outside": "/etc",
      ".cursor/skills/gone": "../../nothing",
    },
    found: ["shared/deep/down/two", "skills/one"],
    committed: ["skills/one"],
  },
  { name: "folders at the root", skills: ["one", "two"], files: { "docs/readme.md": "x" } },
  { name: "category folders", skills: ["design/one", "ops/two"], files: { "test/fixture/SKILL.md": "x" } },
  {
    name: "a SKILL.md at the root of a repository with others",
    skills: [".", "skills/one", "three"],
    files: { ".git/HEAD": "x", "src/main.ts": "x", "references/sample/SKILL.md": "x" },
    found: ["SKILL.md", "skills/one", "three"],
  },
  {
    name: "copies in the folders of several tools",
    skills: [".claude/skills/one"],
    files: { ".cursor/skills/one/SKILL.md": skillText("one") },
    found: [".claude/skills/one", ".cursor/skills/one"],
  },
];

function skillText(name: string): string {
  return `---\nname: ${name}\ndescription: Sample of ${name}. Use it to test layouts.\n---\n\n${name}.\n`;
}

async function layOut(t: TestContext, { skills, files = {}, links = {} }: Layout): Promise<string> {
  const home = await temporaryFolder(t);
  const write = async (path: string, data: string) => {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), data);
  };
  for (const path of skills)
    await write(join(path, "SKILL.md"), skillText(path === "." ? "root" : path.split("/").at(-1)!));
  for (const [path, data] of Object.entries(files)) await write(path, data);
  for (const [path, target] of Object.entries(links)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await symlink(target, join(home, path));
  }
  return home;
}

/** Commits all files to a bare repository. */
function commitAll(home: string, bare: string): void {
  // A folder that a test made into a repository is not one for Git.
  const git = (...args: string[]) => runGit(home, `--git-dir=${join(bare)}`, "--work-tree=.", ...args);
  git("add", "--all", "--force", ".");
  git("commit", "-q", "-m", "add skills");
}

/** Ids of the files of a branch by path, and targets of its links. */
function filesOf(bare: string): Map<string, string> {
  const lines = runGit(bare, "ls-tree", "-r", "main").split("\n");
  return new Map(
    lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]),
  );
}

describe("layouts of repositories", () => {
  for (const layout of layouts)
    it(`finds, checks and publishes the skills of ${layout.name}`, async (t) => {
      const customer = await customers.newCustomer();
      const { org, owner } = customer;
      const home = await layOut(t, layout);
      const env = { SVC_API_URL: customers.service.url, SVC_TOKEN: owner.token };
      const found = layout.found ?? layout.skills.toSorted();
      const bare = customers.newRepository(customer, "layout.git");
      commitAll(home, bare);

      const planned = await svc(["sync", "plan", "layout.git", "--host", "local", "-o", "json"], {
        home,
        env,
      });
      const linted = keepContract("lint", (await svc(["lint", "-o", "json"], { home })).data);
      const ran = await svc(["publish", ".", "-t", org.slug, "-o", "json"], { home, env });

      const plan = keepContract("sync.plan", planned.data);
      const inPlan = [...plan.create, ...plan.elsewhere].map(({ path }) => path).toSorted();
      assert.deepEqual(inPlan, layout.committed ?? found);
      assert.deepEqual(
        linted.skills.map(({ path }) => path),
        found,
      );
      assert.equal(linted.summary.errors, 0);
      assert.deepEqual([ran.code, ran.stderr], [0, ""]);
      const published = keepContract("publishAll", ran.data);
      assert.deepEqual(
        published.skills.map(({ path }) => path),
        found,
      );
      const listed = (await svc(["list", "-o", "json"], { home, env })).data as unknown[];
      assert.equal(listed.length, published.summary.created);
      assert.equal(listed.length, new Set(found.map((path) => path.split("/").at(-1))).size);
    });

  for (const layout of layouts)
    it(`syncs a repository of ${layout.name} as planned, and changes nothing else in it`, async (t) => {
      const { service } = customers;
      const customer = await customers.newCustomer();
      const home = await layOut(t, layout);
      const env = { SVC_API_URL: service.url, SVC_TOKEN: customer.owner.token };
      const bare = customers.newRepository(customer, "layout.git");
      commitAll(home, bare);
      const given = filesOf(bare);
      const planned = await svc(["sync", "plan", "layout.git", "--host", "local", "-o", "json"], {
        home,
        env,
      });
      const plan = keepContract("sync.plan", planned.data);

      const { data } = await customers.connect(customer, { host: "local", url: "layout.git" });
      await runConnection(service.app, data.id);

      const { skillProblems, syncedSkills } = await customers.state(customer);
      const inSkills = (layout.committed ?? layout.found ?? layout.skills)
        .filter((path) => path.startsWith("skills/"))
        .toSorted();
      assert.deepEqual(plan.create.map(({ path }) => path).toSorted(), inSkills);
      assert.deepEqual([syncedSkills, skillProblems], [inSkills.length, []]);
      const synced = filesOf(bare);
      const added = [...synced.keys()].filter((path) => !given.has(path));
      const records = inSkills.map((path) => `${path}/.svc.json`);
      assert.deepEqual(added.toSorted(), [...records, "skills/README.md"].toSorted());
      // A text gets a line that says where it is managed.
      const changed = [...given.keys()].filter((path) => synced.get(path) !== given.get(path));
      assert.deepEqual(
        changed.toSorted(),
        inSkills.map((path) => `${path}/SKILL.md`),
      );
      for (const path of inSkills)
        assert.equal(
          runGit(bare, "show", `main:${path}/SKILL.md`).replace(/<!-- svc:managed.*\n\n?/, ""),
          skillText(path.split("/").at(-1)!).trimEnd(),
        );
    });

  it("keeps a skill with samples in it as one skill", async (t) => {
    const home = await layOut(t, { name: "", skills: ["kit", "kit/assets/template", "kit/examples/a"] });

    const linted = keepContract("lint", (await svc(["lint", "kit", "-o", "json"], { home })).data);

    assert.deepEqual(
      linted.skills.map(({ path }) => path),
      ["kit"],
    );
  });

  it("says in which folders the skills are, and what is searched if there are none", async (t) => {
    const home = await layOut(t, layouts[2]!);
    const empty = await layOut(t, { name: "", skills: [], files: { "src/main.ts": "x" } });

    const { owner } = await customers.newCustomer();
    const linted = await svc(["lint"], { home });
    const env = { SVC_API_URL: customers.service.url, SVC_TOKEN: owner.token };
    const refused = await svc(["publish", ".", "-o", "json"], { home: empty, env });

    assert.match(
      linted.stderr,
      /Found 4 skills: 1 in \.agents\/skills\/, 1 in \.claude\/skills\/, 1 in \.cursor\/skills\/, 1 in \.github\/skills\//,
    );
    assert.equal(refused.error.code, "E_PACK_FAILED");
    assert.match(refused.error.message, /no SKILL\.md in \..*plugins\/.*\.claude\/skills/);
  });
});
