/**
 * The skills of real repositories, with the built service and the built `svc`: published, installed into every tool,
 * cloned, synced and compared byte by byte. `SVC_REAL_SKILLS` names a folder with checkouts,
 * each in a folder of its own.
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { targets } from "../../contract/vocabulary.ts";
import { keepContract } from "../support/cli-contract.ts";
import { type FileTree, assertTree, readTree } from "../support/file-tree.ts";
import { runGit } from "../support/host/git-host.ts";
import { newOrganization } from "../support/http-client.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";
import { setUpJourney } from "./set-up.ts";

const checkouts = process.env["SVC_REAL_SKILLS"] ?? "";
const skip = existsSync(checkouts) ? false : "SVC_REAL_SKILLS names no folder with checkouts of repositories";

/** The line that the sync adds to a SKILL.md without other files. */
const managedLine = /<!-- svc:managed[^\n]*\n\n?/;

describe("the skills of real repositories", { skip }, async () => {
  const repositories = realpathSync(temporaryFolder("real-repositories"));
  const journey = await setUpJourney("ada", true, { LOCAL_REPOSITORIES: repositories, LOG_LEVEL: "info" });
  const { svc } = journey;
  after(() => removeFolder(repositories));

  const requests = () => journey.server.log().filter(({ msg }) => msg === "request").length;

  for (const [number, name] of readdirSync(checkouts).toSorted().entries())
    describe(`the skills of ${name}`, () => {
      const org = `published-${number}`;
      /** Only connects the repository. */
      const other = `connected-${number}`;
      /** The clone from which someone publishes. */
      let work: string;
      let bare: string;
      let otherBare: string;
      let published: { path: string; slug: string; tree: FileTree }[];

      before(async () => {
        const { server, account } = journey;
        const ids = [
          await newOrganization(server.url, account, org),
          await newOrganization(server.url, account, other),
        ] as const;
        work = path.join(journey.work, name);
        // A link to a checkout is resolved: the checkout itself is never changed.
        cpSync(realpathSync(path.join(checkouts, name)), work, { recursive: true, verbatimSymlinks: true });
        removeFolder(path.join(work, ".git"));
        runGit(work, "init", "-q", "-b", "main");
        runGit(work, "add", "--all", "--force", ".");
        runGit(work, "commit", "-q", "-m", "as published");
        [bare, otherBare] = [newBare(ids[0]), newBare(ids[1])];
      });

      /** A new clone from the service, without its `.git`. */
      const cloneOf = (ref: string) => {
        const url = new URL(`/${ref}.git`, journey.server.url);
        Object.assign(url, { username: "anyone", password: journey.account.token });
        const clone = path.join(journey.work, "clone");
        removeFolder(clone);
        runGit(journey.work, "clone", "-q", url.href, clone);
        removeFolder(path.join(clone, ".git"));
        return clone;
      };

      const newBare = (orgId: string) => {
        const folder = path.join(repositories, orgId, "skills.git");
        mkdirSync(path.dirname(folder), { recursive: true });
        runGit(work, "clone", "-q", "--bare", ".", folder);
        return folder;
      };

      it("are published, without a refusal or a warning", async (t) => {
        const [startedAt, requestsBefore] = [performance.now(), requests()];
        const done = await svc.run(["publish", ".", "-t", org, "-y", "-o", "json"], { cwd: work });
        const seconds = (performance.now() - startedAt) / 1000;
        const { skills, summary } = keepContract("publishAll", JSON.parse(done.stdout));

        published = skills.flatMap(({ path: at, skill, error }) =>
          skill === undefined || error !== undefined
            ? []
            : [{ path: at, slug: skill.slug, tree: readTree(path.join(work, at)) }],
        );
        const sent = (requests() - requestsBefore) / skills.length;
        t.diagnostic(
          `${name}: ${JSON.stringify(summary)}, ${seconds.toFixed(1)} s, ${sent.toFixed(2)} requests each`,
        );
        const remarks = skills.flatMap((one) => [...one.warnings, one.error?.message ?? []].flat());
        for (const remark of remarks) t.diagnostic(remark);
        assert.deepEqual(remarks, []);
      });

      it("are installed into every tool with the same bytes", async (t) => {
        const startedAt = performance.now();
        let copies = 0;
        for (const { slug, tree } of published)
          for (const place of [["-g"], ["-p", journey.project]]) {
            const ref = `${org}/${slug}`;
            const args = ["install", ref, "-t", targets.join(","), ...place];
            const done = keepContract("install", await svc.json(args));
            assert.deepEqual(done.failed, []);
            const refused = done.skipped.map(({ platform }) => platform);
            assert.deepEqual(refused, done.installed.length === targets.length ? [] : ["aider"], ref);
            for (const { platform, path: at } of done.installed) {
              copies++;
              if (platform !== "aider") assertTree(at, tree);
              else assert.ok(readFileSync(at, "utf8").includes(bodyOf(tree)), `${ref} for aider`);
            }
            const others = done.warnings.filter((warning) => !/loaded twice|--read/.test(warning));
            for (const warning of others) t.diagnostic(`${ref}: ${warning}`);
          }
        const seconds = (performance.now() - startedAt) / 1000;
        t.diagnostic(`${name}: ${copies} copies in ${seconds.toFixed(1)} s`);
      });

      it("are unchanged when they are published and pulled again", async (t) => {
        const startedAt = performance.now();
        const args = ["publish", ".", "-t", org, "-y"];
        const again = keepContract("publishAll", await svc.json(args, { cwd: work }));
        const seconds = (performance.now() - startedAt) / 1000;
        const pulled = keepContract("pull", await svc.json(["pull"]));

        t.diagnostic(`${name}: published again in ${seconds.toFixed(1)} s`);
        assert.equal(again.summary.unchanged, published.length);
        assert.deepEqual([pulled.summary.updated, pulled.summary.failed], [0, 0]);
      });

      it("are cloned with the same bytes", () => {
        for (const { slug, tree } of published) assertTree(cloneOf(`${org}/${slug}`), tree);
      });

      it("keep their versions and bytes when their repository is connected", async () => {
        const status = await connect(org);

        assert.deepEqual([status.syncedSkills, status.skillProblems], [published.length, []]);
        const args = ["publish", ".", "-t", org, "--dry-run"];
        const again = keepContract("publishAll", await svc.json(args, { cwd: work }));
        assert.equal(again.summary.unchanged, published.length);
        const clone = path.join(journey.work, `${name}-connected`);
        runGit(journey.work, "clone", "-q", bare, clone);
        for (const { slug, tree } of published) assertDirectory(path.join(clone, "skills", slug), tree);
      });

      it("become skills of an organization that connects the repository", async () => {
        const inSkills = published.filter((one) => one.path.startsWith("skills/"));
        const line = ["sync", "plan", "skills.git", "--host", "local", "--org", other];
        const plan = keepContract("sync.plan", await svc.json(line));

        const status = await connect(other);

        assert.deepEqual(
          [plan.creates, plan.elsewheres],
          [inSkills.length, published.length - inSkills.length],
        );
        assert.deepEqual(plan.problems, []);
        assert.deepEqual([status.syncedSkills, status.skillProblems], [inSkills.length, []]);
        const clone = path.join(journey.work, `${name}-imported`);
        runGit(journey.work, "clone", "-q", otherBare, clone);
        for (const { path: at, tree } of inSkills) {
          assertDirectory(path.join(clone, at), tree);
          assertTree(cloneOf(`${other}/${path.basename(at)}`), tree);
        }
      });

      /** Connects the repository, and returns the state after the sync. */
      const connect = async (to: string) => {
        await svc.json(["sync", "connect", "skills.git", "--host", "local", "--org", to]);
        await svc.json(["sync", "run", "--org", to]);
        return keepContract("sync.status", await svc.json(["sync", "status", "--org", to]));
      };
    });
});

/** Fails unless the directory of a repository has these files, and what the sync adds to a skill. */
function assertDirectory(folder: string, tree: FileTree): void {
  const { ".svc.json": record, ...files } = readTree(folder);
  const text = files["SKILL.md"]!;
  const bytes = Buffer.from(text.bytes.toString("utf8").replace(managedLine, ""));
  assert.ok(record !== undefined, folder);
  assert.deepEqual({ ...files, "SKILL.md": { ...text, bytes } }, tree, folder);
}

/** The text of a SKILL.md without its frontmatter. */
function bodyOf(tree: FileTree): string {
  return tree["SKILL.md"]!.bytes.toString("utf8")
    .replace(/^---\n.*?\n---\n/s, "")
    .trim();
}
