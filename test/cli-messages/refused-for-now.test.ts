/** Requests that the service refuses for now, addresses of another name, and programs that are no registry. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { type Handler, answer, startServer, svc, temporaryFolder } from "../cli/harness.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner } = await setUpOrganization();

/** The service behind a program that may answer requests itself, and counts them. */
async function startFront(t: TestContext, intercept: (path: string, method: string) => boolean) {
  const seen: { path: string; key: string | undefined }[] = [];
  const forward: Handler = async (request, response, url) => {
    const path = `${request.method} ${url.pathname}`;
    const key = request.headers["idempotency-key"] as string | undefined;
    seen.push({ path, key });
    if (intercept(url.pathname, request.method!)) {
      request.resume();
      return answer(
        response,
        429,
        { success: false, error: "Too many requests.", code: "rate_limited" },
        { "retry-after": "7" },
      );
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, ...headers } = request.headers as Record<string, string>;
    const passed = await fetch(service.url + url.pathname + url.search, {
      method: request.method!,
      headers,
      body: chunks.length === 0 ? undefined : new Uint8Array(Buffer.concat(chunks)),
    });
    response.writeHead(passed.status, { "content-type": "application/json" });
    response.end(Buffer.from(await passed.arrayBuffer()));
  };
  return { url: await startServer(t, forward), seen };
}

async function layOut(home: string, count: number): Promise<void> {
  for (let i = 1; i <= count; i++) {
    const folder = join(home, `skills/kit-${i}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "SKILL.md"), `---\nname: kit-${i}\ndescription: Sample ${i}.\n---\nText.\n`);
    await writeFile(join(folder, "a.md"), `${i}\n`);
  }
}

describe("a bulk publish", () => {
  it("waits as the service asks in each kind of request, and publishes all through another address", async (t) => {
    const org = await service.newOrg(owner);
    const home = await temporaryFolder(t);
    await layOut(home, 6);
    const refusals = new Map<string, number>();
    // The first two of each kind are refused.
    const { url, seen } = await startFront(t, (path, method) => {
      const kind = `${method} ${path.replace(/uploads\/.+/, "uploads/id")}`;
      const count = (refusals.get(kind) ?? 0) + 1;
      refusals.set(kind, count);
      return count <= 2;
    });
    const waits: number[] = [];

    const ran = await svc(["publish", "skills", "-t", org.slug, "-o", "json"], {
      home,
      waits,
      env: { SVC_API_URL: url, SVC_TOKEN: owner.token },
    });

    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    assert.deepEqual((ran.data as { summary: object }).summary, {
      created: 6,
      updated: 0,
      unchanged: 0,
      failed: 0,
    });
    assert.ok(
      ["POST /api/skills/plan", "POST /api/uploads", "PUT /api/uploads/id", "POST /api/skills"].every(
        (kind) => refusals.get(kind)! > 2,
      ),
    );
    assert.deepEqual(
      waits,
      Array.from({ length: waits.length }, () => 7000),
    );
    assert.equal(waits.length, 2 * refusals.size);
    // A repeated request has its first key.
    const keys = seen.filter(({ path }) => path === "POST /api/skills").map(({ key }) => key);
    assert.deepEqual([keys.length, new Set(keys).size], [8, 6]);
    // A skill takes its plan, the announcement of its upload, the upload and the publish.
    assert.equal(seen.length, 6 * 4 + waits.length);
  });
});

describe("a wrong address or token", () => {
  it("is named: a page of another program, and a proxy that does not respond", async (t) => {
    const home = await temporaryFolder(t);
    const page = await startServer(t, (_request, response) => {
      response.writeHead(404, { "content-type": "text/html" });
      response.end("<h1>Not found</h1>");
    });
    const closed = createServer();
    await new Promise<void>((ready) => closed.listen(0, "127.0.0.1", ready));
    const { port } = closed.address() as { port: number };
    await new Promise((done) => closed.close(done));
    const token = owner.token;
    const proxy = `http://127.0.0.1:${port}`;
    // The library that selects the proxy reads the environment of the process.
    const before = process.env["HTTPS_PROXY"];
    process.env["HTTPS_PROXY"] = proxy;
    t.after(() => {
      if (before === undefined) delete process.env["HTTPS_PROXY"];
      else process.env["HTTPS_PROXY"] = before;
    });

    const other = await svc(["info", "acme/x", "-o", "json"], {
      home,
      env: { SVC_API_URL: page, SVC_TOKEN: token },
    });
    const proxied = await svc(["whoami", "-o", "json"], {
      home,
      env: { SVC_API_URL: "https://skills.example.com", SVC_TOKEN: token, HTTPS_PROXY: proxy },
    });

    assert.equal(other.error.code, "E_NETWORK");
    assert.match(other.error.message, /does not respond like a skill registry \(it sent text\/html\)/);
    assert.equal(proxied.error.code, "E_NETWORK");
    assert.match(
      proxied.error.message,
      new RegExp(`through the proxy 127\\.0\\.0\\.1:${port}: the connection was refused`),
    );
  });

  it("accepts blanks around SVC_TOKEN, and refuses those inside", async (t) => {
    const home = await temporaryFolder(t);
    const run = (SVC_TOKEN: string) =>
      svc(["whoami", "-o", "json"], { home, env: { SVC_API_URL: service.url, SVC_TOKEN } });

    assert.equal((await run(` ${owner.token}\r\n`)).code, 0);
    const refused = await run(owner.token.replace("_", "_ "));
    assert.deepEqual(
      [refused.error.code, refused.error.details?.["flag"]],
      ["E_NOT_AUTHENTICATED", "SVC_TOKEN"],
    );
  });
});
