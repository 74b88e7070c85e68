/** The configuration: secrets from files, faults that are told together, and what `config` prints. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { parseAllowedHosts } from "../../repos/transport/outbound-allow.ts";
import { describeConfig, readConfig } from "../../src/config.ts";
import { requireFolder } from "../../src/operations/preflight.ts";
import { scriptsOf } from "../guides/markdown.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-config-"));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("a secret in a file", () => {
  it("reads secrets from variables that were made of files with a line break at the end", () => {
    const keys = `main:${"A".repeat(43)}=`;
    const config = readConfig({ SECRET_KEYS: `${keys}\n`, REDIS_URL: "redis://h\n", SMTP_URL: "\n" });

    assert.deepEqual([config.secretKeys, config.redisUrl, config.smtpUrl], [keys, "redis://h", undefined]);
  });

  it("is read without the line break at its end", () => {
    const config = readConfig({ MONGODB_URL_FILE: file("url", "mongodb://a:b@db/\n") });
    assert.equal(config.mongodbUrl, "mongodb://a:b@db/");
  });

  it("is refused with a reason if it is missing, empty, large, or given twice, beside all other faults", () => {
    const env = {
      MONGODB_URL_FILE: join(folder, "none"),
      SMTP_URL_FILE: file("empty", "\n"),
      SECRET_KEYS_FILE: file("large", "x".repeat(70_000)),
      REDIS_URL_FILE: file("redis", "redis://h"),
      REDIS_URL: "redis://h",
      PORT: "x",
    };
    assert.throws(
      () => readConfig(env),
      /MONGODB_URL_FILE[^]*REDIS_URL_FILE are both[^]*SECRET_KEYS_FILE[^]*64 kB[^]*SMTP_URL_FILE[^]*empty[^]*PORT/,
    );
  });

  it("is checked like a variable, and never part of an error", () => {
    const key = file("key", "not-a-key-but-secret");
    assert.throws(
      () => readConfig({ GITHUB_APP_ID: "1", GITHUB_APP_PRIVATE_KEY_FILE: key }),
      ({ message }: Error) => /PRIVATE_KEY/.test(message) && !message.includes("but-secret"),
    );
  });
});

describe("a faulty variable", () => {
  const faulty: [NodeJS.ProcessEnv, RegExp][] = [
    [{ HOST: "127.0.0.1 localhost" }, /without spaces[^]*at HOST/],
    [{ GITHUB_APP_ID: "5" }, /GITHUB_APP_PRIVATE_KEY/],
    [{ DRAIN_SECONDS: "-1" }, /at DRAIN_SECONDS/],
    [{ DRAIN_SECONDS: "301" }, /at DRAIN_SECONDS/],
    [{ ADDRESS_LIMIT_FACTOR: "0.5" }, /must be at least 1[^]*at ADDRESS_LIMIT_FACTOR/],
    [{ ADDRESS_LIMIT_FACTOR: "many" }, /a number such as 200[^]*at ADDRESS_LIMIT_FACTOR/],
    [{ ADDRESS_LIMIT_FACTOR: "20000" }, /ADDRESS_LIMIT_EXEMPT instead[^]*at ADDRESS_LIMIT_FACTOR/],
    [{ ADDRESS_LIMIT_EXEMPT: "office.example" }, /such as 192\.0\.2\.0\/24[^]*at ADDRESS_LIMIT_EXEMPT/],
    [{ ADDRESS_LIMIT_EXEMPT: "192.0.2.1,0.0.0.0/0" }, /at ADDRESS_LIMIT_EXEMPT/],
  ];
  for (const [env, expected] of faulty)
    it(`${JSON.stringify(env)} is refused by name`, () => assert.throws(() => readConfig(env), expected));
});

describe("the configuration in effect", () => {
  it("has each variable with its origin, and no secret", () => {
    const env = {
      PORT: "8080",
      ADDRESS_LIMIT_EXEMPT: "192.0.2.0/24",
      MONGODB_URL: "mongodb://user:pass-word@db.example:27017/?authSource=admin",
      SECRET_KEYS: `k1:${"A".repeat(43)}=`,
      SMTP_URL_FILE: file("smtp", "smtps://user:mail-word@mail.example\n"),
    };
    const rows = new Map(describeConfig(env).map(({ name, ...row }) => [name, row]));
    assert.deepEqual(rows.get("PORT"), { value: "8080", origin: "environment" });
    assert.deepEqual(rows.get("ADDRESS_LIMIT_FACTOR"), { value: "1", origin: "default" });
    assert.deepEqual(rows.get("ADDRESS_LIMIT_EXEMPT"), { value: "192.0.2.0/24", origin: "environment" });
    assert.deepEqual(rows.get("HOST"), { value: "127.0.0.1", origin: "default" });
    assert.deepEqual(rows.get("METRICS_PORT"), { value: undefined, origin: "default" });
    assert.deepEqual(rows.get("MONGODB_URL"), {
      value: "mongodb://***@db.example:27017/",
      origin: "environment",
    });
    assert.equal(rows.get("SMTP_URL")!.origin, env.SMTP_URL_FILE);
    const text = JSON.stringify([...rows.values()]);
    for (const secret of ["pass-word", "AAAA", "mail-word"]) assert.ok(!text.includes(secret), secret);
  });
});

describe("the settings of a guide", () => {
  /** Exported variables in a section, but for the file of authorities, which this machine lacks. */
  const exported = (guide: string, section: string) =>
    Object.fromEntries(
      scriptsOf(guide, section)
        .flatMap((script) => [...script.matchAll(/([A-Z_]+)=(\S+)/g)])
        .map(([, name, value]) => [name!, value!])
        .filter(([name]) => name !== "NODE_EXTRA_CA_CERTS"),
    );

  it("behind a proxy trust one", () => {
    const config = readConfig(exported("proxy.md", "Settings"));
    assert.deepEqual([config.baseUrl, config.trustProxy], ["https://skills.example.com", 1]);
    const shared = readConfig(exported("proxy.md", "Many people behind one address"));
    assert.deepEqual(shared.addressLimits, { factor: 200, exempt: ["192.0.2.10", "2001:db8:12::/48"] });
  });

  it("without internet access leave out what is made for everyone, and allow the own network", () => {
    const config = readConfig(exported("air-gap.md", "Outbound requests"));
    assert.deepEqual([config.mcpCatalog.url, config.oauth.clientDocuments], [undefined, false]);
    const { OUTBOUND_ALLOW } = exported("air-gap.md", "Outbound requests");
    assert.equal(OUTBOUND_ALLOW, "10.20.0.0/16,git.corp.example");
    assert.ok(parseAllowedHosts(OUTBOUND_ALLOW));
  });

  it("for private networks name networks and a host", () => {
    const { OUTBOUND_ALLOW } = exported("deploy.md", "Outbound requests");
    readConfig({ OUTBOUND_ALLOW });
    assert.deepEqual([...parseAllowedHosts(OUTBOUND_ALLOW)!.names], ["git.corp.example"]);
  });
});

describe("a folder of the service", () => {
  it("is created with its parents, for the service's user only", () => {
    requireFolder(join(folder, "a/b/c"), "DATA_DIR");
    requireFolder(join(folder, "a/b/c"), "DATA_DIR");
  });

  it("that can't be created or written is one sentence that names the variable", () => {
    for (const path of ["/proc/svc-test/data", join(file("a-file", ""), "below")])
      assert.throws(
        () => requireFolder(path, "GIT_ROOT"),
        /^Error: The folder .* can't be written .*GIT_ROOT/,
        path,
      );
    if (process.getuid!() === 0) return;
    chmodSync(join(folder, "a"), 0o500);
    assert.throws(() => requireFolder(join(folder, "a"), "DATA_DIR"), /EACCES/);
    chmodSync(join(folder, "a"), 0o700);
  });
});
