/** `@svc/client` as it is distributed: installed by npm from the service, compiled strictly, run against it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { sharedEngines } from "../support/engine.ts";
import { newAccount } from "../support/http-client.ts";
import { root } from "../support/root.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";
import { runProgram, version } from "./client-package.ts";

const folder = temporaryFolder("api-client");
const dataDir = path.join(folder, "data");
const server = await startServer({ dataDir, env: await sharedEngines() });
const home = path.join(folder, "project");

after(async () => {
  await server.stop();
  await assertNothingRuns(dataDir);
  removeFolder(folder);
});

/** Part of a directive that sources of this repository may not contain. */
const expected = "expect";

const story = `
import { createClient, hasCode, SvcError, type Skill } from "@svc/client";

const { SVC_URL: baseUrl = "", SVC_TOKEN: token = "" } = process.env;
const requests: string[] = [];
let isDown = false;
const svc = createClient({
  baseUrl,
  token,
  // The connection is lost after the service has handled the call.
  async fetch(input, init) {
    requests.push(\`\${init?.method} \${new Headers(init?.headers).get("idempotency-key") ?? ""}\`);
    const response = await fetch(input, init);
    if (!isDown) return response;
    isDown = false;
    throw new TypeError("fetch failed");
  },
});

isDown = true;
const org = await svc.createOrg({ body: { name: "Client story", slug: "client-story" } });
const orgs = await svc.listOrgs();
const content = "# Code review\\n\\nRead all of it.\\n";
const published = await svc.publishSkill({
  body: { mode: "create", tenantId: org.id, name: "Code review", content, visibility: "private" },
});
const skill: Skill = published.skill;
for (const number of [2, 3])
  await svc.pushVersion({ path: { skill: skill.id }, body: { content: \`\${content}\${number}\\n\` } });
const page = await svc.listVersions({ path: { skill: skill.id }, query: { limit: 2 } });
const all: string[] = [];
for await (const one of svc.all.listVersions({ path: { skill: skill.id }, query: { limit: 2 } })) all.push(one.semver);
const resolved = await svc.resolveSkill({ query: { ref: "client-story/code-review" } });
const names = await svc.resolveNames({ body: { ids: [org.id, skill.id] } });
const archive = await svc.getPackage({ path: { skill: skill.id } });
const file = await svc.getFile({ path: { skill: skill.id, path: "SKILL.md" } });
await svc.deleteSkill({ path: { skill: skill.id } });

let failure: SvcError<"not_found"> | undefined;
try {
  await svc.getSkill({ path: { skill: skill.id } });
} catch (error) {
  if (hasCode(error, "not_found")) failure = error;
}
const code: "not_found" | undefined = failure?.code;
// @ts-${expected}-error a parameter of the path is missing
const wrong = () => svc.getSkill({});
// @ts-${expected}-error not one of the choices
const wrongChoice = () => svc.publishSkill({ body: { mode: "other", tenantId: "a", name: "b" } });

let refused: unknown;
await createClient({ baseUrl }).listOrgs().catch((error: unknown) => (refused = error));
let aborted: unknown;
await svc.listOrgs({}, { signal: AbortSignal.abort() }).catch((error: unknown) => (aborted = error));
let unreachable: unknown;
await createClient({ baseUrl: "http://127.0.0.1:9", retries: 1 })
  .listOrgs()
  .catch((error: unknown) => (unreachable = error));

console.log(
  JSON.stringify({
    orgs: orgs.items.map((one) => one.slug),
    creation: requests.slice(0, 2),
    semvers: page.items.map((one) => one.semver),
    hasNext: page.nextCursor !== null,
    all,
    resolved: resolved.skill.id === skill.id,
    names: names.map((one) => one.name),
    archive: (await archive.arrayBuffer()).byteLength > 100,
    file: (await file.text()).includes("Read all of it."),
    code,
    requestId: failure?.requestId !== undefined,
    refused: refused instanceof SvcError && refused.code,
    aborted: aborted instanceof Error && aborted.name,
    unreachable: hasCode(unreachable, "network"),
    unused: typeof wrong === typeof wrongChoice,
  }),
);
`;

const options = {
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    types: ["node"],
    outDir: "out",
    rootDir: ".",
  },
  files: ["story.ts"],
};

describe("the API client", () => {
  before(async () => {
    await runProgram(["true"], { home });
    writeFileSync(path.join(home, "package.json"), '{"type":"module","private":true}');
    writeFileSync(path.join(home, "story.ts"), story);
    writeFileSync(path.join(home, "tsconfig.json"), JSON.stringify(options));
  });

  it("is served at an address of its version, with a checksum, and at most 20 kB large", async () => {
    const served = Buffer.from(await (await fetch(`${server.url}/cli/svc-client.tgz`)).arrayBuffer());
    assert.ok(served.length <= 20_000, String(served.length));
    const fixed = await fetch(`${server.url}/cli/svc-client-${version}.tgz`);
    assert.equal(fixed.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.ok(served.equals(Buffer.from(await fixed.arrayBuffer())));
    const sum = await (await fetch(`${server.url}/cli/svc-client.tgz.sha256`)).text();
    const sha256 = createHash("sha256").update(served).digest("hex");
    assert.equal(sum, `${sha256}  svc-client-${version}.tgz\n`);
    for (const name of ["svc-client-0.0.1.tgz", "svc-client"])
      assert.equal((await fetch(`${server.url}/cli/${name}`)).status, 404);
  });

  it("is installed by npm without other packages", async () => {
    const address = `${server.url}/cli/svc-client.tgz`;
    const { code, stderr } = await runProgram(["npm", "install", "--no-audit", "--no-fund", address], {
      home,
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      readdirSync(path.join(home, "node_modules")).filter((name) => !name.startsWith(".")),
      ["@svc"],
    );
  });

  it("compiles strictly in a program, which it takes through a story", async () => {
    const { token } = await newAccount(server.url, "ada", server.setupLink);
    const modules = path.join(root, "node_modules");
    for (const name of ["@types", "undici-types"])
      symlinkSync(path.join(modules, name), path.join(home, "node_modules", name));
    const tsc = path.join(modules, "typescript/bin/tsc");
    const compiled = await runProgram([process.execPath, tsc, "-p", "."], { home });
    assert.equal(compiled.code, 0, compiled.stdout);
    assert.ok(existsSync(path.join(home, "out/story.js")));

    const env = { SVC_URL: server.url, SVC_TOKEN: token };
    const { code, stdout, stderr } = await runProgram([process.execPath, "out/story.js"], { home, env });

    assert.equal(code, 0, stderr);
    const { creation, ...rest } = JSON.parse(stdout) as { creation: string[] };
    assert.match(creation[0]!, /^POST [\w-]{36}$/);
    assert.equal(creation[1], creation[0], "the retry has the same key");
    assert.deepEqual(rest, {
      orgs: ["client-story"],
      semvers: ["1.0.2", "1.0.1"],
      hasNext: true,
      all: ["1.0.2", "1.0.1", "1.0.0"],
      resolved: true,
      names: ["Client story", "Code review"],
      archive: true,
      file: true,
      code: "not_found",
      requestId: true,
      refused: "unauthenticated",
      aborted: "AbortError",
      unreachable: true,
      unused: true,
    });
  });
});
