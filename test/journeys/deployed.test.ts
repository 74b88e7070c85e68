/** The service behind nginx and Caddy with TLS, set up by the files of `deploy/`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import path from "node:path";
import { after, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { openCli } from "../support/cli.ts";
import { reserveProxy, type ProxyOptions } from "../support/proxies/deployed.ts";
import { freePorts, whyMissing } from "../support/proxies/program.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../support/server.ts";
import { until } from "../support/until.ts";

/** As large as a package may be, with its `SKILL.md` and the directory of the zip. */
const packageBytes = limits.packageCompressedBytes - 64 * 1024;

interface Deployed {
  url: string;
  server: Server;
  /** Environment of programs that trust the proxy's certificate. */
  env: Record<string, string>;
  send(method: string, target: string, options?: SendOptions): Promise<Answer>;
  close(): Promise<void>;
}
interface SendOptions {
  headers?: Record<string, string>;
  body?: string;
  /** Ends the response once its text has this. */
  endAt?: string;
}
interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Starts the service, and a proxy with a file of `deploy/`. */
async function deploy(
  folder: string,
  kind: "nginx" | "Caddy",
  edit?: ProxyOptions["edit"],
): Promise<Deployed> {
  const [target] = (await freePorts(1)) as [number];
  const reserved = await reserveProxy(kind);
  const { url } = reserved;
  const proxy = await reserved.start({ folder, targets: [target], ...(edit && { edit }) });
  const env = { LOG_LEVEL: "warn", BASE_URL: url, TRUST_PROXY: "1", PORT: String(target) };
  const dataDir = path.join(folder, "data");
  const server = await startServer({ dataDir, env, ownUrl: `http://127.0.0.1:${target}` });
  const agent = new Agent({ ca: readFileSync(proxy.certificate), keepAlive: false });
  return {
    url,
    server,
    env: proxy.env,
    send: (method, target_, options) => send(agent, url + target_, method, options),
    async close() {
      await server.stop();
      await proxy.close();
    },
  };
}

function send(
  agent: Agent,
  target: string,
  method: string,
  { headers = {}, body, endAt }: SendOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(target, { method, agent, headers }, (response) => {
      let text = "";
      const done = () => resolve({ status: response.statusCode!, headers: response.headers, text });
      response.on("data", (piece) => {
        text += String(piece);
        if (endAt === undefined || !text.includes(endAt)) return;
        done();
        sent.destroy();
      });
      response.on("end", done);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const json = { "content-type": "application/json" };

/** The owner's token of a new organization, and a client that uses it in `folder`. */
async function signUp(folder: string, { url, env, send: ask, server }: Deployed) {
  await until("the proxy to see the service", async () => (await ask("GET", "/readyz")).status === 200);
  const setupToken = new URL(server.setupLink!).searchParams.get("token");
  const account = {
    email: "ada@example.com",
    username: "ada",
    name: "Ada",
    password: "correct horse battery",
  };
  const signedUp = await ask("POST", "/api/auth/sign-up", {
    headers: { ...json, origin: url },
    body: JSON.stringify({ ...account, setupToken }),
  });
  assert.equal(signedUp.status, 201, signedUp.text);
  const cookie = (signedUp.headers["set-cookie"] as string[])[0]!.split(";")[0]!;
  assert.match(cookie, /^__Host-/);
  const created = await ask("POST", "/api/user/tokens", {
    headers: { ...json, cookie, origin: url },
    body: JSON.stringify({ name: "walk" }),
  });
  const { token } = (JSON.parse(created.text) as { data: { token: string } }).data;
  const bearer = { authorization: `Bearer ${token}` };
  const organization = { name: "Lumen", slug: "lumen" };
  await ask("POST", "/api/tenants", { headers: { ...json, ...bearer }, body: JSON.stringify(organization) });
  const cli = openCli({ home: path.join(folder, "home"), apiUrl: () => url, cwd: folder });
  const publish = (skill: string) =>
    cli.run(["publish", skill], { env: { ...env, SVC_TOKEN: token }, asProcess: true });
  return { token, bearer, publish };
}

/** A folder of a package with so many bytes that no program can compress. */
function writePackage(folder: string, name: string, bytes: number): string {
  const skill = path.join(folder, name);
  mkdirSync(skill, { recursive: true });
  const text = `---\nname: ${name}\ndescription: A large package.\n---\nText.\n`;
  writeFileSync(path.join(skill, "SKILL.md"), text);
  writeFileSync(path.join(skill, "data.bin"), randomBytes(bytes));
  return skill;
}

/** Walks through all that a proxy can break. */
async function walk(folder: string, deployed: Deployed): Promise<void> {
  const { url, env, send: ask } = deployed;
  const { token, bearer, publish } = await signUp(folder, deployed);
  const published = await publish(writePackage(folder, "big-skill", packageBytes));
  assert.equal(published.code, 0, published.stderr);

  const clone = path.join(folder, "clone");
  const address = url.replace("https://", `https://ada:${token}@`);
  execFileSync("git", ["clone", "-q", `${address}/lumen/big-skill.git`, clone], {
    env: { ...process.env, ...env, GIT_TERMINAL_PROMPT: "0" },
  });
  assert.equal(readFileSync(path.join(clone, "data.bin")).length, packageBytes);

  const events = await ask("GET", "/api/events", {
    headers: { ...bearer, accept: "text/event-stream" },
    endAt: "event: alive",
  });
  assert.equal(events.status, 200, "a stream is not held back");
  const agent = await ask("POST", "/mcp", {
    headers: { ...bearer, ...json, accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  assert.equal(agent.status, 200, agent.text);
  const begun = await ask("POST", "/api/uploads", { headers: { ...bearer, ...json }, body: "{}" });
  assert.ok(begun.status < 300 || begun.status >= 400, `no redirect: ${begun.status}`);
}

describe("the service behind a proxy of deploy/", () => {
  const folders: string[] = [];
  after(() => folders.forEach(removeFolder));
  const newFolder = (name: string) => {
    const folder = temporaryFolder(name);
    folders.push(folder);
    return folder;
  };

  for (const kind of ["nginx", "Caddy"] as const)
    it(
      `${kind} passes uploads, clones, streams and agents`,
      { skip: whyMissing(kind.toLowerCase(), "openssl") },
      async () => {
        const folder = newFolder(kind);
        const deployed = await deploy(folder, kind);
        try {
          await walk(folder, deployed);
        } finally {
          await deployed.close();
        }
      },
    );
});

describe("svc behind a proxy that is set up otherwise", { skip: whyMissing("nginx", "openssl") }, () => {
  const faults: [string, (text: string) => string, RegExp][] = [
    [
      "refuses large bodies",
      (text) => text.replace(/client_max_body_size .*/, ""),
      /upload was refused\. A proxy in front of the service answered with status 413.*client_max_body_size/,
    ],
    [
      "redirects the path of uploads",
      (text) =>
        text.replace(/( +)location \/ \{[^}]*\}/, "$&\n$1location /api/uploads/ { proxy_pass http://svc; }"),
      /redirects POST \/api\/uploads to \/api\/uploads\/: a proxy/,
    ],
  ];
  for (const [name, edit, message] of faults)
    it(`names the proxy that ${name}`, async (t) => {
      const folder = temporaryFolder("proxy-fault");
      t.after(() => removeFolder(folder));
      const deployed = await deploy(folder, "nginx", edit);
      try {
        const { publish } = await signUp(folder, deployed);
        const { code, stderr } = await publish(writePackage(folder, "refused", 3 * 1024 * 1024));
        assert.equal(code, 1);
        assert.match(stderr, message);
      } finally {
        await deployed.close();
      }
    });

  it("is refused if the proxy hides the host name", async (t) => {
    const folder = temporaryFolder("proxy-host");
    t.after(() => removeFolder(folder));
    const deployed = await deploy(folder, "nginx", (text) => text.replace(/proxy_set_header Host .*/, ""));
    try {
      const { bearer } = await signUp(folder, deployed);
      const asked = await deployed.send("POST", "/mcp", {
        headers: { ...bearer, ...json, origin: deployed.url, accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
      assert.equal(asked.status, 403);
    } finally {
      await deployed.close();
    }
  });
});
