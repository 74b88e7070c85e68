/** Identity, organizations, folders and several logins; for people and for programs. */
import assert from "node:assert/strict";
import { realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { keepContract } from "../support/cli-contract.ts";
import { type Cli, openCli } from "../support/cli.ts";
import { sharedEngines } from "../support/engine.ts";
import { callApi, newAccount, newOrganization } from "../support/http-client.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { confirmAddress } from "./confirm-address.ts";

const homes: string[] = [];

function newHome(): Cli {
  const home = realpathSync(temporaryFolder("home"));
  homes.push(home);
  return openCli({ home, apiUrl: () => server.url, cwd: work, isRepeatedInside: true });
}

/** Output for people, of a run that succeeded without other messages. */
async function read(svc: Cli, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await svc.run(args);
  assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  // oxlint-disable-next-line no-control-regex -- control sequences are what this looks for
  assert.doesNotMatch(stdout, /\u001B/);
  return stdout;
}

const dataDir = temporaryFolder("organize");
const work = realpathSync(temporaryFolder("work"));
const server = await startServer({ dataDir, env: await sharedEngines() });
const ada = await newAccount(server.url, "ada", server.setupLink);
const bob = await newAccount(server.url, "bob");
const acme = await newOrganization(server.url, ada, "acme");

after(async () => {
  await server.stop();
  await assertNothingRuns(dataDir);
  for (const folder of [dataDir, work, ...homes]) removeFolder(folder);
});

describe("svc whoami and logout", () => {
  it("print the organizations and the invitations", async () => {
    const svc = newHome();
    await svc.json(["login", "--token", bob.token]);
    await confirmAddress(server, bob);
    const invited = await callApi(server.url, "POST", `/api/tenants/${acme}/invitations`, {
      token: ada.token,
      body: { email: bob.email, role: "member" },
    });
    assert.equal(invited.status, 201, invited.error);

    const who = keepContract("whoami", await svc.json(["whoami"]));

    assert.deepEqual([who.username, who.name, who.email], ["bob", "Name of bob", "bob@example.com"]);
    assert.deepEqual(who.memberships, []);
    assert.deepEqual(
      who.pendingInvitations.map((one) => [one.organizationSlug, one.organizationName]),
      [["acme", "Org acme"]],
    );
    assert.equal(await read(svc, "whoami"), "Name of bob (bob)\nbob@example.com\ninvited to: Org acme\n");
  });

  it("delete the login, and keep a token valid that login --token stored", async () => {
    const svc = newHome();
    const body = { name: "for logout" };
    const made = await callApi<{ token: string }>(server.url, "POST", "/api/user/tokens", { ...ada, body });
    const login = ["login", "--token", made.data.token];
    assert.equal(await read(svc, ...login), "Logged in as Name of ada (ada).\n");
    assert.deepEqual(await svc.json(["logout", "--keep-token"]), { loggedOut: true });
    assert.equal((await svc.failure(["whoami"])).code, "E_NOT_AUTHENTICATED");
    await svc.json(login);
    assert.deepEqual(keepContract("logout", await svc.json(["logout"])), { loggedOut: true });
    assert.equal(await read(svc, ...login), "Logged in as Name of ada (ada).\n");
    assert.match(await read(svc, "logout"), /^Logged out on this machine\. The token stays valid/);
    assert.equal(await read(svc, "logout"), "You were not logged in.\n");
  });
});

describe("svc folders, move and list", () => {
  let svc: Cli;
  before(async () => {
    svc = newHome();
    await svc.json(["login", "--token", ada.token]);
    writeFileSync(
      path.join(work, "tea.md"),
      "---\nname: Tea\ndescription: Steeps\ntags: [kitchen]\n---\n\n# Tea\n",
    );
    writeFileSync(path.join(work, "oak.md"), "---\nname: Oak\ndescription: Grows\n---\n\n# Oak\n");
    await svc.json(["publish", "tea.md", "--visibility", "public"]);
  });

  it("create folders, and move skills between them", async () => {
    assert.equal(await read(svc, "folders"), "No folders. Create one with svc folders create.\n");
    const made = keepContract("folders.create", await svc.json(["folders", "create", "Home/Kitchen"]));
    assert.deepEqual(made.created, ["home", "home/kitchen"]);

    const moved = keepContract("move", await svc.json(["move", "tea", "home/kitchen"]));
    assert.deepEqual([moved.moved, moved.to.path, moved.from.folderId], [true, "home/kitchen", null]);
    assert.equal(await read(svc, "move", "tea", "Garden", "--parents"), "Moved Tea (acme/tea) to garden\n");
    await svc.json(["publish", "oak.md", "--folder", "garden"]);

    const folders = keepContract("folders.list", await svc.json(["folders"]));
    assert.deepEqual(
      folders.map(({ path: at, skillCount }) => [at, skillCount]),
      [
        ["garden", 2],
        ["home", 0],
        ["home/kitchen", 0],
      ],
    );
    assert.equal(
      await read(svc, "folders", "list"),
      "garden/  Garden, 2 skills\nhome/  Home\n  kitchen/  Kitchen\n",
    );
    const back = keepContract("move", await svc.json(["move", "tea", "/"]));
    assert.deepEqual(back.to, { folderId: null, path: "/" });
    await until("the search finds the skill", async () => {
      const [tea] = keepContract("list", await svc.json(["list", "--search", "tea"]));
      return tea?.slug === "tea" && tea.folderId === null;
    });
  });

  it("list skills in each of the formats", async () => {
    const slugs = (rows: { slug: string }[]) => rows.map(({ slug }) => slug).toSorted();
    assert.deepEqual(slugs(keepContract("list", await svc.json(["list"]))), ["oak", "tea"]);
    assert.deepEqual(slugs(keepContract("list", await svc.json(["list", "--tag", "kitchen"]))), ["tea"]);
    assert.deepEqual(slugs(keepContract("listPublic", await svc.json(["list", "--public"]))), ["tea"]);
    for (const filter of [
      ["--tag", "garage"],
      ["--search", "zebra"],
    ])
      assert.deepEqual(await svc.json(["list", "--public", ...filter]), []);
    assert.deepEqual(await svc.json(["list", "--personal"]), []);
    assert.deepEqual(await svc.json(["list", "--installed"]), []);
    await svc.json(["install", "tea@^1.0", "-t", "claude", "-g"]);
    const [installed] = keepContract("listInstalled", await svc.json(["list", "--installed"]));
    assert.deepEqual([installed?.slug, installed?.pin, installed?.targetCount], ["tea", "^1.0", 1]);

    assert.match(
      await read(svc, "list"),
      /^SKILL +VERSION +TYPE +VISIBILITY +DESCRIPTION\n[\s\S]*acme\/tea +1\.0\.0 +skill +public +Steeps\n/,
    );
    assert.match(await read(svc, "list", "--public"), /acme\/tea +1\.0\.0 +skill +\d+ +Steeps/);
    assert.match(await read(svc, "list", "--installed"), /tea +acme\/tea +1\.0\.0 +\^1\.0 +1 \(claude\)/);
    assert.equal(await read(svc, "list", "--public", "--search", "zebra"), "Nothing found.\n");
    assert.match(await read(svc, "versions", "tea"), /1\.0\.0 \(current\) +1 +\d{4}-\d\d-\d\d/);
    const refused = await svc.failure(["list", "--installed", "--tag", "x"]);
    assert.deepEqual([refused.code, refused.details?.["flag"]], ["E_INVALID_ARGUMENT", "--tag"]);
  });
});

describe("several logins", () => {
  it("have separate identities and installations", async () => {
    const svc = newHome();
    await svc.json(["login", "--token", ada.token]);
    keepContract("profile.create", await svc.json(["profile", "create", "guest"]));
    await svc.json(["login", "--token", bob.token, "--profile", "guest"]);
    await svc.json(["install", "acme/tea", "-t", "claude", "-g", "--profile", "guest", "--trust", "acme"]);

    const name = async (...args: string[]) =>
      keepContract("whoami", await svc.json(["whoami", ...args])).username;
    assert.deepEqual([await name(), await name("--profile", "guest")], ["ada", "bob"]);
    keepContract("profile.switch", await svc.json(["profile", "switch", "guest"]));
    assert.deepEqual([await name(), await name("--profile", "default")], ["bob", "ada"]);
    assert.deepEqual(keepContract("profile.list", await svc.json(["profile", "list"])), [
      {
        name: "default",
        active: false,
        activeViaOverride: false,
        isDefault: true,
        authenticated: true,
        skillCount: 0,
      },
      {
        name: "guest",
        active: true,
        activeViaOverride: false,
        isDefault: false,
        authenticated: true,
        skillCount: 1,
      },
    ]);
    assert.match(await read(svc, "profile", "list"), /\* +guest +yes +1 +http:/);

    const kept = await svc.failure(["profile", "delete", "guest"]);
    assert.deepEqual([kept.code, kept.details], ["E_INTERACTION_REQUIRED", { flag: "--force" }]);
    const deleted = await read(svc, "profile", "delete", "guest", "--force");
    assert.equal(deleted, "Deleted profile guest. The active profile is default.\n");
    assert.equal(await name(), "ada");
    assert.equal((await svc.failure(["whoami", "--profile", "guest"])).code, "E_NOT_FOUND");
  });

  it("are completed by shells, from the local state", async () => {
    const svc = newHome();
    assert.equal((await svc.run(["profile", "create", "night-shift"])).code, 0);
    const { stdout } = await svc.run(["__complete", "fish", "--", "profile", "switch", "n"]);
    assert.equal(stdout, "none\nnight-shift\t\n");
    const { script } = keepContract("completion", await svc.json(["completion", "bash"]));
    assert.equal(await read(svc, "completion", "bash"), script);
  });
});
