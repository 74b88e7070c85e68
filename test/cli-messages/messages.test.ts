/** Messages about references, versions and the local state, as a person and a program see them. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { dataOf } from "../cli/fixture.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import type { TestOrg } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

async function publish(tenant: TestOrg, name: string, content: string): Promise<void> {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: tenant.slug, name, content },
  });
  assert.equal(made.status, 201, made.error);
}

async function runner(t: TestContext, token: string | undefined = owner.token) {
  const home = await temporaryFolder(t);
  const env = { SVC_API_URL: service.url, SVC_TOKEN: token === "" ? undefined : token };
  return {
    json: (...argv: string[]) => svc([...argv, "-o", "json"], { home, env }),
    text: (...argv: string[]) => svc(argv, { home, env }),
  };
}

describe("a message about a reference", () => {
  it("shows it as it was typed", async (t) => {
    const { json } = await runner(t);
    const typed = [`${org.slug}/nothing`, "nothing", `${service.url}/s/aaaaaaaaaa`];

    for (const ref of typed) {
      const { error } = await json("info", ref);
      assert.deepEqual([error.code, error.details?.["ref"]], ["E_NOT_FOUND", ref]);
      assert.ok(error.message.includes(`"${ref}"`), error.message);
    }
  });

  it("is the service's own without a sign-in", async (t) => {
    const { json } = await runner(t, "");

    const { error } = await json("info", `${org.slug}/nothing`);

    assert.equal(error.code, "E_NOT_AUTHENTICATED");
    assert.match(error.message, /nothing" is not a public skill\. Sign in if it is yours\. Run svc login/);
  });

  it("lists the candidates of an ambiguous one as org/slug, in text too", async (t) => {
    const other = await service.newOrg(owner);
    for (const tenant of [org, other]) await publish(tenant, "Twin", "# Twin\n");
    const { text } = await runner(t);

    const { code, stderr } = await text("info", "twin");

    assert.equal(code, 1);
    for (const { slug } of [org, other])
      assert.match(stderr, new RegExp(`^ {2}${slug}/twin {2}\\w{10}`, "m"));
  });
});

describe("a message about a version", () => {
  it("lists the newest versions if none satisfies the pin", async (t) => {
    for (const text of ["one", "two", "three", "four", "five", "six"])
      await publish(org, "Many", `# ${text}\n`);
    const { json } = await runner(t);
    const install = (pin: string) => json("install", `${org.slug}/many@${pin}`, "-t", "claude", "-g");

    const [range, exact, number] = [
      await install("9"),
      await install("3.0.0"),
      await json("diff", `${org.slug}/many`, "77", "1"),
    ];

    const newest = "1.0.5, 1.0.4, 1.0.3, 1.0.2, 1.0.1, and older ones.";
    const name = `"${org.slug}/many"`;
    assert.equal(
      range.error.message,
      `${name} has no version that satisfies 9.x. Its newest versions are ${newest}`,
    );
    assert.equal(exact.error.message, `${name} has no version 3.0.0. Its newest versions are ${newest}`);
    assert.match(
      number.error.message,
      /has no version with the number 77\. Its newest versions are 6 \(1\.0\.5\), 5/,
    );
    assert.deepEqual(
      [range.error.code, range.error.details?.["versions"]],
      ["E_NOT_FOUND", ["1.0.5", "1.0.4", "1.0.3", "1.0.2", "1.0.1"]],
    );
  });

  it("reads an integer of --spec as a range, as install does, and latest as the current version", async (t) => {
    for (const text of ["one", "two"]) await publish(org, "Numbered", `# ${text}\n`);
    const { json, text } = await runner(t);

    const listed = dataOf<{ version: number; semver: string }[]>(
      await json("versions", `${org.slug}/numbered`, "--spec", "1"),
    );
    const shown = await text("versions", `${org.slug}/numbered`, "--spec", "latest");

    assert.deepEqual(
      listed.map(({ version, semver }) => [version, semver]),
      [
        [2, "1.0.1"],
        [1, "1.0.0"],
      ],
    );
    assert.match(shown.stdout, /1\.0\.1 \(current\)/);
    assert.doesNotMatch(shown.stdout, /1\.0\.0/);
  });
});

describe("a damaged configuration", () => {
  it("is an error in JSON mode, and stays as it is", async (t) => {
    const home = await temporaryFolder(t);
    await mkdir(join(home, ".svc"));
    await writeFile(join(home, ".svc", "config.json"), "{");

    for (const argv of [
      ["list", "--installed"],
      ["profile", "create", "work"],
    ]) {
      const { code, stdout, error } = await svc([...argv, "-o", "json"], { home });
      assert.deepEqual([code, stdout, error.code], [1, "", "E_INTERNAL"]);
      assert.match(error.message, /config\.json is damaged \(it is not JSON\)\. Repair or remove it/);
    }

    assert.equal(await readFile(join(home, ".svc", "config.json"), "utf8"), "{");
  });
});
