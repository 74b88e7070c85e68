/** `svc marketplace`, and Git with `svc auth git` as its credential helper, against the real service. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import type { MarketplacePayload } from "../../contract/payloads/discovery/marketplaces.ts";
import { dataOf } from "../cli/fixture.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { plainGitEnv } from "../support/native-git.ts";
import { root } from "../support/root.ts";
import { setUpService } from "../support/set-up.ts";
import { setUp } from "./fixture.ts";

const { service } = await setUpService();
const program = join(root, "bin", "svc");

describe("svc marketplace", () => {
  it("lists the marketplaces of an organization, and what to paste for one", async (t) => {
    const { org, json, text } = await setUp(service, t);
    const listed = dataOf<MarketplacePayload[]>(await json("marketplace", "--org", org.slug));
    assert.deepEqual(
      listed.map(({ name, audience, isPublic }) => [name, audience, isPublic]),
      [[`${org.slug}-members`, "members", false]],
    );

    const { stdout } = await text("marketplace", `${org.slug}-members`);
    const { gitUrl, catalogUrl } = listed[0]!;
    assert.match(stdout, new RegExp(`claude plugin marketplace add ${gitUrl}`));
    assert.match(stdout, /credential\..*\.helper '!svc auth git'/);
    assert.match(stdout, /"autoUpdate": true/);
    assert.match(stdout, new RegExp(`"url": "${catalogUrl}",\\s+"headersHelper": "svc auth header"`));
    assert.equal((await json("marketplace", "none", "--org", org.slug)).error.code, "E_NOT_FOUND");
  });

  it("is cloned by git with the login of svc", async (t) => {
    const { org, owner, json } = await setUp(service, t);
    const body = { tenantId: org.id, name: "Private one", content: "private\n" };
    assert.equal((await service.call("POST", "/api/skills", { token: owner.token, body })).status, 201);
    const [{ gitUrl }] = dataOf<[MarketplacePayload]>(await json("marketplace"));
    const folder = await temporaryFolder(t);
    const env = { ...plainGitEnv, HOME: folder, SVC_API_URL: service.url, SVC_TOKEN: owner.token };
    const helper = `credential.${service.url}.helper=!'${process.execPath}' '${program}' auth git`;
    const clone = (to: string, given: NodeJS.ProcessEnv) =>
      promisify(execFile)("git", ["-c", helper, "clone", "-q", gitUrl, to], { cwd: folder, env: given });

    await clone("with", env);
    const { stdout } = await promisify(execFile)("git", ["-C", join(folder, "with"), "ls-files"]);
    assert.match(stdout, /plugins\/private-one\/skills\/private-one\/SKILL\.md/);
    await assert.rejects(
      clone("without", { ...env, SVC_TOKEN: "" }),
      /could not read Username|Authentication/,
    );
  });
});

describe("svc auth", () => {
  it("prints the headers of the login, and none without one", async (t) => {
    const home = await temporaryFolder(t);
    const env = { SVC_API_URL: service.url, SVC_TOKEN: "lskp_abc" };
    const { stdout } = await svc(["auth", "header"], { home, env });
    assert.deepEqual(JSON.parse(stdout), { Authorization: "Bearer lskp_abc" });
    const without = await svc(["auth", "header", "-o", "json"], { home, env: { SVC_API_URL: service.url } });
    assert.equal(without.error.code, "E_NOT_AUTHENTICATED");
  });

  it("tells git nothing for another host, another port or another action", async (t) => {
    const home = await temporaryFolder(t);
    const { port } = new URL(service.url);
    const ask = (action: string, input: string) => {
      const env = { ...plainGitEnv, HOME: home, SVC_API_URL: service.url, SVC_TOKEN: "lskp_abc" };
      const { stdout } = spawnSync(process.execPath, [program, "auth", "git", action], {
        env,
        input,
        encoding: "utf8",
      });
      return stdout;
    };
    const own = `protocol=http\nhost=127.0.0.1:${port}\n\n`;
    assert.equal(ask("get", own), "username=svc\npassword=lskp_abc\n");
    for (const [action, input] of [
      ["get", "protocol=https\nhost=example.com\n\n"],
      ["get", `protocol=http\nhost=127.0.0.1:${Number(port) + 1}\n\n`],
      ["get", `protocol=https\nhost=127.0.0.1:${port}\n\n`],
      ["get", ""],
      ["store", own],
      ["erase", own],
    ] as const)
      assert.equal(ask(action, input).trim(), "", `${action} ${input}`);
  });
});
