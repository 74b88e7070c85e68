/** Secrets in skills: `lint`, `publish`, `push` and `share` find the same ones, and print none. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { secretInName, secretInText } from "../../contract/checks/secret-rules.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { keepContract } from "../support/cli-contract.ts";
import { assertProcessorSeconds } from "../support/processor-time.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

// Assembled, so that no scanner takes this file for one with secrets.
const [priv, ghp] = [["PRI", "VATE"].join(""), ["gh", "p_"].join("")];
const random = "9fK2mQ7xR4tV8wZ1bN6cJ3hL5pD0sGaY";
const github = `${ghp}${random}Ab12`;
const pem = `-----BEGIN OPENSSH ${priv} KEY-----\n${random}${random}\n-----END OPENSSH ${priv} KEY-----\n`;
const google = ["AI", "za"].join("");
const head = "---\nname: kit\ndescription: Does it.\n---\n# Kit\n";

async function layOut(t: TestContext, files: Record<string, string>): Promise<string> {
  const home = await temporaryFolder(t);
  for (const [path, text] of Object.entries({ "kit/SKILL.md": head, ...files })) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  return home;
}

const run = (home: string, ...argv: string[]) =>
  svc([...argv, "-o", "json"], { home, env: { SVC_API_URL: service.url, SVC_TOKEN: owner.token } });

describe("a package with secrets", () => {
  it("is refused by lint, publish, push and share, which name the files and no secret", async (t) => {
    const home = await layOut(t, {
      "kit/.env": "PASSWORD=hunter2\n",
      "kit/docs/setup.md": `Use this:\n\n${github}\n`,
      "kit/key.pem": pem,
    });

    const linted = keepContract("lint", (await run(home, "lint", "kit")).data);
    const uploads = [
      await run(home, "publish", "kit"),
      await run(home, "push", "kit", "-s", `${org.slug}/kit`),
      await run(home, "share", "kit"),
    ];

    assert.deepEqual(
      linted.findings.map(({ rule, path, line, severity }) => [rule, path, line, severity]),
      [
        ["secret_file", "kit/.env", undefined, "error"],
        ["secret_text", "kit/docs/setup.md", 3, "error"],
        ["secret_text", "kit/key.pem", 1, "error"],
      ],
    );
    for (const { code, error, stderr } of uploads) {
      assert.deepEqual(
        [code, error.code, error.details?.["flag"], error.details?.["ref"]],
        [1, "E_INVALID_ARGUMENT", "--allow-secret-files", ".env"],
      );
      assert.match(error.message, /docs\/setup\.md:3 \(a GitHub token\), key\.pem:1 \(a private key\)/);
      assert.ok(!stderr.includes(random) && !stderr.includes("hunter2"));
    }
    assert.equal(
      (await service.call("GET", `/api/skills/${org.slug}~kit`, { token: owner.token })).status,
      404,
    );
  });

  it("is published with --allow-secret-files, with a warning", async (t) => {
    const home = await layOut(t, { "kit/.env": "A=1\n" });

    const linted = keepContract("lint", (await run(home, "lint", "kit", "--allow-secret-files")).data);
    const published = await run(home, "publish", "kit", "--allow-secret-files");

    assert.deepEqual([linted.ok, published.code], [true, 0], published.stderr);
    assert.match(
      keepContract("publish", published.data).warnings.join(),
      /--allow-secret-files: the upload includes secrets: \.env/,
    );
  });
});

describe("a text with a secret", () => {
  it("is refused with its line", async (t) => {
    const home = await layOut(t, { "notes.md": `# Notes\n${github}\n` });

    const { error } = await run(home, "publish", "notes.md");

    assert.match(error.message, /notes\.md contains secrets: notes\.md:2 \(a GitHub token\)/);
  });
});

describe("the rules for secrets", () => {
  for (const [name, isSecret] of [
    [".env", true],
    ["app/.ENV.production", true],
    [".env.example", false],
    ["keys/id_ed25519", true],
    ["keys/id_ed25519.pub", false],
    ["a/.aws/credentials", true],
    ["credentials", false],
    ["store.p12", true],
    [".netrc", true],
    ["environment.md", false],
    [".env.example.md", false],
    [".env.schema", false],
    [".env.local", true],
    ["slides.key", false],
  ] as const)
    it(`${isSecret ? "include" : "leave out"} the name ${name}`, () =>
      assert.equal(secretInName(name) !== undefined, isSecret));

  for (const [what, text, isSecret] of [
    ["a key", pem, true],
    ["a key in JSON", JSON.stringify({ key: pem }), true],
    ["an indented key", pem.replaceAll("\n", `\n${" ".repeat(12)}`), true],
    ["the name of a key's first line", `Look for -----BEGIN ${priv} KEY----- in it.\n`, false],
    ["a certificate", `-----BEGIN CERTIFICATE-----\n${random}\n`, false],
    ["a token", `token: ${github}`, true],
    ["a token of a registry", `//r/:_authToken=${random}`, true],
    ["a token of this registry", `lsk_${"9f86d081884c7d659a2feaa0c55ad015".repeat(2)}`, true],
    ["a counted token of this registry", `lsk_${"0123456789abcdef".repeat(4)}`, false],
    ["a counted key of letters and digits", `${google}SyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q`, false],
    ["a counted key in parts", `${ghp}abcdef1234567890abcdef1234567890abcd`, false],
    ["a counted token of three parts", "xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx", false],
    ["a key of keyboard rows", `${ghp}qwertyuiopasdfghjklzxcvbnm1234567890`, false],
    ["a key that counts only at its beginning", `${ghp}abcdef123456${random.slice(0, 24)}`, true],
    ["the beginning of a key", pem.replace(/\n-----END[^]*/, "\n...\n-----END"), false],
    [
      "the beginning of a key, with an ellipsis",
      Buffer.from(pem.replace(/\n-----END[^]*/, "…")).toString("latin1"),
      false,
    ],
    ["a placeholder", `${ghp}${"x".repeat(36)}`, false],
    ["an example", ["AKIA", "IOSFODNN7EXAMPLE"].join(""), false],
    ["prose", "Ask for sk-something or a ghp_ token.", false],
  ] as const)
    it(`${isSecret ? "include" : "leave out"} ${what}`, () =>
      assert.equal(secretInText(text) !== undefined, isSecret));

  it("find every random key, whatever letters it has", () => {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    for (let i = 0; i < 20_000; i++) {
      const key = Array.from(randomBytes(36), (byte) => letters[byte % letters.length]).join("");
      const hex = randomBytes(32).toString("hex");
      const digits = Array.from(
        randomBytes(16),
        (byte) => `ABCDEFGHIJKLMNOPQRSTUVWXYZ234567`[byte % 32],
      ).join("");
      for (const text of [`${ghp}${key}`, `lsk_${hex}`])
        assert.ok(secretInText(text) !== undefined, text.slice(4));
      const isSpread = new Set(digits).size >= 8;
      assert.ok(!isSpread || secretInText(`AKIA${digits}`) !== undefined, digits);
    }
    // Ten of its 14 steps follow an order, by chance.
    assert.ok(secretInText(["AKIA", "W5XCVBBN673XZ34H"].join("")) !== undefined);
  });

  it("take linear time on hostile texts", async () => {
    const headers = `${"a: ".repeat(26)}\n`;
    const parts = [
      `-----BEGIN ${priv} KEY-----\n`,
      "a: b\n",
      headers,
      "-----BEGIN A A A ",
      "xoxb-",
      "\\n\\n",
    ];
    await assertProcessorSeconds(10, () => {
      for (const part of parts)
        secretInText(`-----BEGIN ${priv} KEY-----\n${part.repeat(Math.ceil(500_000 / part.length))}`);
    });
  });
});
