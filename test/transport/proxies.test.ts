import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { makeCertificate, startSquid, whyNoSquid } from "../support/proxies/squid.ts";
import { programArgs } from "../support/root.ts";
import { plainEnv, removeFolder, temporaryFolder } from "../support/server.ts";
import type { Outbound, Outcome, RequestKind } from "./outbound-process.ts";

const names = ["idp.company.test", "plain.company.test", "api.company.test", "localhost"];
const oid = "a".repeat(40);
const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
const refs = `${line("# service=git-upload-pack\n")}0000${line(`${oid} refs/heads/main\0 agent=git\n`)}0000`;

/** Path and response of each kind of request. */
const answers: Record<RequestKind, { path: string; type: string; body: string; text: string }> = {
  document: { path: "/document", type: "text/plain", body: "a document", text: "a document" },
  fetch: { path: "/fetch", type: "application/json", body: "{}", text: "{}" },
  events: { path: "/events", type: "text/event-stream", body: "data: 1\n\n", text: "data: 1\n\n" },
  github: { path: "/user", type: "application/json", body: '{"login":"octo"}', text: '{"login":"octo"}' },
  git: {
    path: "/repo.git",
    type: "application/x-git-upload-pack-advertisement",
    body: refs,
    text: "refs/heads/main",
  },
};
const kinds = Object.keys(answers) as RequestKind[];

/** Sends requests in a process of its own, since certificates are read at the start of one. */
async function send(requests: Outbound[], env: Record<string, string>): Promise<Outcome[]> {
  const args = [...programArgs("test/transport/outbound-process.ts"), JSON.stringify(requests)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: plainEnv(env) });
  assert.doesNotMatch(stdout + stderr, /p(@|%40)ss/, "the output has the password of the proxy");
  return JSON.parse(stdout) as Outcome[];
}

describe("requests behind a proxy", { skip: whyNoSquid() }, async () => {
  /** Host and path of the requests that arrived. */
  const arrived: string[] = [];

  const folder = temporaryFolder("outbound");
  const alternatives = names.map((name) => `DNS:${name}`);
  const certificate = makeCertificate(folder, "server", [`subjectAltName=${alternatives.join()}`]);
  removeFolder(folder);
  const answer: http.RequestListener = (request, response) => {
    arrived.push(`${request.headers.host?.replace(/:\d+$/, "")}${request.url}`);
    const found = Object.values(answers).find(({ path }) => request.url?.startsWith(path));
    response.writeHead(found ? 200 : 404, { "content-type": found?.type ?? "text/plain" });
    if (found?.type === "text/event-stream") response.write(found.body);
    else response.end(found?.body);
  };
  const encrypted = https.createServer(certificate, answer).listen(0, "127.0.0.1");
  const unencrypted = http.createServer(answer).listen(0, "127.0.0.1");
  await Promise.all([encrypted, unencrypted].map((server) => once(server, "listening")));
  const port = (encrypted.address() as AddressInfo).port;
  const squid = await startSquid(names, certificate);
  const withPassword = new URL(squid.url);
  withPassword.username = squid.user;
  withPassword.password = squid.password;
  const proxied = { HTTPS_PROXY: withPassword.href, HTTP_PROXY: withPassword.href };

  after(async () => {
    for (const server of [encrypted, unencrypted]) {
      server?.close();
      server?.closeAllConnections();
    }
    await squid?.close();
  });

  const address = (kind: RequestKind, host = "idp.company.test") =>
    `https://${host}:${port}${answers[kind].path}`;
  const messageOf = ({ message = "no failure" }: Outcome) => message;

  it("of every kind reach servers that only the proxy finds, with certificates that the proxy has signed", async () => {
    const env = { ...proxied, NODE_EXTRA_CA_CERTS: squid.authorities };

    const received = await send(
      kinds.map((kind) => ({ kind, url: address(kind) })),
      env,
    );

    assert.deepEqual(
      received,
      kinds.map((kind) => ({ text: answers[kind].text })),
    );
    const paths = kinds.map((kind) =>
      kind === "git" ? "/repo.git/info/refs?service=git-upload-pack" : answers[kind].path,
    );
    assert.deepEqual(
      arrived,
      paths.map((path) => `idp.company.test${path}`),
    );
    assert.match(squid.log(), new RegExp(`CONNECT idp.company.test:${port} ${squid.user} `));
  });

  it("are tunnelled by a proxy that signs nothing", async () => {
    const env = { ...proxied, NODE_EXTRA_CA_CERTS: squid.authorities };

    const received = await send(
      kinds.map((kind) => ({ kind, url: address(kind, "plain.company.test") })),
      env,
    );

    assert.deepEqual(
      received,
      kinds.map((kind) => ({ text: answers[kind].text })),
    );
  });

  it("fail with a sentence about the certificate if the proxy's authority is not trusted", async () => {
    const received = await send(
      kinds.map((kind) => ({ kind, url: address(kind) })),
      proxied,
    );

    for (const [index, outcome] of received.entries()) {
      assert.equal(outcome.code, "remote_unreachable", kinds[index]);
      assert.match(messageOf(outcome), /company\.test:\d+ has a certificate that is not trusted \(\w+\)/);
    }
  });

  it("fail with the name of a proxy that refuses the credentials, is not there, or can't be resolved", async () => {
    const port9 = "http://user:p%40ss@127.0.0.1:9";
    for (const [HTTPS_PROXY, expected] of [
      [squid.url.replace("//", "//service:p%40ss@"), `the proxy ${squid.url} refused CONNECT with 407`],
      [squid.url, `the proxy ${squid.url} refused CONNECT with 407`],
      [port9, "the proxy http://127.0.0.1:9 can't be reached: ECONNREFUSED"],
      ["http://proxy.invalid:3128", "the proxy http://proxy.invalid:3128 could not be resolved"],
      ["socks5://127.0.0.1:1080", "the proxy socks5://127.0.0.1:1080 is not one for HTTP"],
    ] as const) {
      const received = await send(
        kinds.map((kind) => ({ kind, url: address(kind) })),
        { HTTPS_PROXY },
      );
      for (const [index, outcome] of received.entries()) {
        assert.equal(outcome.code, "remote_unreachable", kinds[index]);
        assert.ok(messageOf(outcome).includes(expected), `${kinds[index]}: ${messageOf(outcome)}`);
      }
    }
  });

  it("go directly to hosts of NO_PROXY and those below them, and name DNS in a failure", async () => {
    const hosts = [
      "idp.company.test",
      "company.test",
      ".company.test",
      "*.company.test",
      "other.test,company.test",
      "*",
    ];
    for (const NO_PROXY of hosts) {
      const [outcome] = await send([{ kind: "fetch", url: address("fetch") }], { ...proxied, NO_PROXY });
      assert.match(messageOf(outcome!), /^could not resolve idp\.company\.test:\d+ \(E\w+\)$/, NO_PROXY);
    }
    for (const NO_PROXY of ["pany.test", "idp.company.test:1", "test.company.test"]) {
      const env = { ...proxied, NO_PROXY, NODE_EXTRA_CA_CERTS: squid.authorities };
      assert.deepEqual(
        await send([{ kind: "fetch", url: address("fetch") }], env),
        [{ text: "{}" }],
        NO_PROXY,
      );
    }
  });

  it("never lead to private addresses that are written or that this machine finds, unless they are allowed", async () => {
    const env = { ...proxied, NODE_EXTRA_CA_CERTS: squid.authorities };
    const earlier = squid.log();
    const guarded = kinds.filter((kind) => kind !== "github");
    const hosts = [
      "127.0.0.1",
      "localhost",
      "10.0.0.1",
      "169.254.169.254",
      "[::1]",
      "[::ffff:7f00:1]",
      "0x7f.1",
    ];
    const requests = guarded.flatMap((kind) => hosts.map((host) => ({ kind, url: address(kind, host) })));

    const refused = await send(requests, env);

    for (const [index, outcome] of refused.entries())
      assert.equal(outcome.code, "remote_forbidden", requests[index]?.url);
    assert.equal(squid.log(), earlier, "the proxy was asked");
    const allowed = { kind: "fetch" as const, url: address("fetch", "localhost"), allowPrivateNetwork: true };
    assert.deepEqual(await send([allowed], env), [{ text: "{}" }]);
    assert.match(squid.log().slice(earlier.length), /CONNECT localhost:/);
  });

  it("without encryption are sent to the proxy as a whole", async () => {
    const url = `http://api.company.test:${(unencrypted.address() as AddressInfo).port}/fetch`;
    const outbound = { kind: "fetch" as const, url, allowPrivateNetwork: true };

    assert.deepEqual(await send([outbound], proxied), [{ text: "{}" }]);
    assert.ok(squid.log().includes(`GET ${url} ${squid.user} `));
    const [failed] = await send([outbound], { HTTP_PROXY: "http://127.0.0.1:9" });
    assert.equal(messageOf(failed!), "the proxy http://127.0.0.1:9 can't be reached: ECONNREFUSED");
    const [refused] = await send([{ ...outbound, kind: "document" }], { HTTP_PROXY: squid.url });
    assert.equal(messageOf(refused!), "the proxy refused the request with 407");
  });
});
