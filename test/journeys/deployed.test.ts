/** The service behind nginx and Caddy with TLS, set up by the files of `deploy/`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import path from "node:path";
import { after, describe, it } from "node:test";
import { openCli } from "../support/cli.ts";
import { findProgram, freePorts, startProgram, whyMissing } from "../support/proxies/program.ts";
import { root } from "../support/root.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../support/server.ts";
import { until } from "../support/until.ts";

const packageBytes = 60 * 1024 * 1024;

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

/** Starts the service, and a proxy with a file of `deploy/` in which names and ports are those of the test. */
async function deploy(
  folder: string,
  proxy: (given: {
    port: number;
    plain: number;
    target: number;
    cert: string;
    key: string;
  }) => Promise<() => Promise<void>>,
): Promise<Deployed> {
  const [port, plain, target] = (await freePorts(3)) as [number, number, number];
  const [cert, key] = [path.join(folder, "cert.pem"), path.join(folder, "key.pem")];
  const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  const names = ["-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", ...made, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const url = `https://localhost:${port}`;
  const env = { LOG_LEVEL: "warn", BASE_URL: url, TRUST_PROXY: "1", PORT: String(target) };
  const dataDir = path.join(folder, "data");
  const closeProxy = await proxy({ port, plain, target, cert, key });
  const server = await startServer({ dataDir, env, ownUrl: `http://127.0.0.1:${target}` });
  const agent = new Agent({ ca: readFileSync(cert), keepAlive: false });
  return {
    url,
    server,
    env: { NODE_EXTRA_CA_CERTS: cert, GIT_SSL_CAINFO: cert },
    send: (method, target_, options) => send(agent, url + target_, method, options),
    async close() {
      await server.stop();
      await closeProxy();
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

/** Walks through all that a proxy can break. */
async function walk(folder: string, { url, env, send: ask, server }: Deployed): Promise<void> {
  const json = { "content-type": "application/json" };
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

  const skill = path.join(folder, "big-skill");
  mkdirSync(skill, { recursive: true });
  writeFileSync(
    path.join(skill, "SKILL.md"),
    "---\nname: big-skill\ndescription: A large package.\n---\nText.\n",
  );
  writeFileSync(path.join(skill, "data.bin"), randomBytes(packageBytes));
  const cli = openCli({ home: path.join(folder, "home"), apiUrl: () => url, cwd: folder });
  const cliEnv = { ...env, SVC_TOKEN: token };
  const published = await cli.run(["publish", skill], { env: cliEnv, asProcess: true });
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

  it(
    "nginx passes uploads, clones, streams and agents",
    { skip: whyMissing("nginx", "openssl") },
    async () => {
      const folder = newFolder("nginx");
      const deployed = await deploy(folder, async ({ port, plain, target, cert, key }) => {
        const given = readFileSync(path.join(root, "deploy/nginx.conf"), "utf8");
        const site = given
          .replaceAll(/^ *listen \[.*\n/gm, "")
          .replace("listen 80;", `listen 127.0.0.1:${plain};`)
          .replace("listen 443", `listen 127.0.0.1:${port}`)
          .replace("127.0.0.1:3000", `127.0.0.1:${target}`)
          .replaceAll("skills.example.com;", "localhost;")
          .replace("/etc/ssl/certs/skills.example.com.pem", cert)
          .replace("/etc/ssl/private/skills.example.com.key", key);
        const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        writeFileSync(
          path.join(folder, "main.conf"),
          `daemon off; pid nginx.pid; error_log stderr; worker_processes 1; events {}
        http { access_log off; ${temporary.map((name) => `${name}_temp_path ${name};`).join(" ")} ${site} }`,
        );
        return startProgram("nginx", ["-p", folder, "-c", path.join(folder, "main.conf")], { folder, port });
      });
      try {
        await walk(folder, deployed);
      } finally {
        await deployed.close();
      }
    },
  );

  it(
    "Caddy passes uploads, clones, streams and agents",
    { skip: whyMissing("caddy", "openssl") },
    async () => {
      const folder = newFolder("caddy");
      assert.ok(findProgram("caddy"));
      const deployed = await deploy(folder, async ({ port, target, cert, key }) => {
        const site = readFileSync(path.join(root, "deploy/Caddyfile"), "utf8")
          .replace("skills.example.com {", `https://localhost:${port} {\n\ttls ${cert} ${key}`)
          .replace("127.0.0.1:3000", `127.0.0.1:${target}`);
        const file = path.join(folder, "Caddyfile");
        writeFileSync(
          file,
          `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n${site}`,
        );
        return startProgram("caddy", ["run", "--config", file, "--adapter", "caddyfile"], { folder, port });
      });
      try {
        await walk(folder, deployed);
      } finally {
        await deployed.close();
      }
    },
  );
});
