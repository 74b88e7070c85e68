/** The caller's address behind real proxies, as the guide for operators sets them up. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { findCallerBehind } from "../../src/http/request/addresses.ts";
import type { TrustedProxies } from "../../src/network-address.ts";
import { findProgram, freePorts, startProgram, whyMissing } from "../support/proxies/program.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";

const caller = "127.0.0.5";
const forged = { "x-forwarded-for": "203.0.113.9" };

/** Answers with the address of the caller. */
async function startService(trusted: TrustedProxies): Promise<Server> {
  const find = findCallerBehind(trusted);
  const server = createServer((request, response) => response.end(find(request).address));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

function ask(port: number, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(
      { host: "127.0.0.1", port, headers, localAddress: caller, agent: false },
      (response) => {
        let text = "";
        response.on("data", (piece) => (text += String(piece))).on("end", () => resolve(text));
      },
    );
    request.on("error", reject);
  });
}

describe("the address of a caller", () => {
  const folder = temporaryFolder("proxies");
  const closers: (() => unknown)[] = [];
  after(async () => {
    for (const close of closers) await close();
    removeFolder(folder);
  });

  async function serve(trusted: TrustedProxies): Promise<number> {
    const server = await startService(trusted);
    closers.push(() => server.close());
    return portOf(server);
  }

  async function startProxy(program: string, args: string[], port: number): Promise<void> {
    closers.unshift(await startProgram(program, args, { folder, port }));
  }

  describe("behind nginx", { skip: whyMissing("nginx") }, () => {
    let single: number, azure: number, twoHops: number, byNetworks: number;

    before(async () => {
      const [one, two, networks] = await Promise.all([serve(1), serve(2), serve(["127.0.0.8/31"])]);
      const ports = await freePorts(6);
      [single, azure, twoHops, byNetworks] = ports as [number, number, number, number];
      const [balancer, toNetworks] = ports.slice(4);
      const server = (port: number, target: number, from: string, value = "$proxy_add_x_forwarded_for") => `
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass http://127.0.0.1:${target};
            proxy_bind ${from};
            proxy_set_header X-Forwarded-For "${value}";
          }
        }`;
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      writeFileSync(
        path.join(folder, "nginx.conf"),
        `daemon off; pid nginx.pid; error_log stderr; worker_processes 1;
        events {}
        http {
          access_log off;
          ${temporary.map((name) => `${name}_temp_path ${name};`).join(" ")}
          ${server(single, one, "127.0.0.8")}
          ${server(azure, one, "127.0.0.8", "$proxy_add_x_forwarded_for:$remote_port")}
          ${server(balancer!, two, "127.0.0.8")}
          ${server(twoHops, balancer!, "127.0.0.9")}
          ${server(toNetworks!, networks, "127.0.0.8")}
          ${server(byNetworks, toNetworks!, "127.0.0.9")}
        }`,
      );
      await startProxy("nginx", ["-p", folder, "-c", path.join(folder, "nginx.conf")], single);
    });

    it("is the one that nginx has seen", async () => {
      assert.equal(await ask(single), caller);
      assert.equal(await ask(single, forged), caller);
    });

    it("is the same from each port, where the proxy adds it", async () => {
      const seen = new Set([await ask(azure), await ask(azure), await ask(azure, forged)]);
      assert.deepEqual([...seen], [caller]);
    });

    it("is found behind two, by their number and by their networks", async () => {
      for (const port of [twoHops, byNetworks]) {
        assert.equal(await ask(port), caller);
        assert.equal(await ask(port, forged), caller);
      }
    });
  });

  it("is the one that Caddy has seen", { skip: findProgram("caddy") ? false : "install caddy" }, async () => {
    const [port] = (await freePorts(1)) as [number];
    const file = path.join(folder, "Caddyfile");
    writeFileSync(
      file,
      `{\nadmin off\n}\nhttp://127.0.0.1:${port} {\nreverse_proxy 127.0.0.1:${await serve(1)}\n}\n`,
    );
    await startProxy("caddy", ["run", "--config", file, "--adapter", "caddyfile"], port);

    assert.equal(await ask(port), caller);
    assert.equal(await ask(port, forged), caller);
  });
});
