/** An organization's audit log that rsyslog receives over TLS, with a certificate of an authority of the operator. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { AuditForwardingSettingPayload } from "../../contract/payloads/organizations/audit.ts";
import { sharedEngines } from "../support/engine.ts";
import { freePort } from "../support/free-port.ts";
import { callApi, newAccount, newOrganization } from "../support/http-client.ts";
import { makeCertificate } from "../support/proxies/deployed.ts";
import { whyMissing } from "../support/proxies/program.ts";
import { removeFolder, startServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

describe("an audit log that is sent to rsyslog", { skip: whyMissing("rsyslogd", "openssl") }, async () => {
  const folder = temporaryFolder("audit-receiver");
  const file = (name: string) => path.join(folder, name);
  const [cert, key] = makeCertificate(folder);
  const port = await freePort();
  const server = await startServer({
    dataDir: file("data"),
    env: {
      ...(await sharedEngines()),
      WEBHOOK_PRIVATE_NETWORK: "true",
      NODE_EXTRA_CA_CERTS: cert,
      RATE_LIMITS: "false",
      LOG_LEVEL: "error",
    },
  });
  const ada = await newAccount(server.url, "ada", server.setupLink);
  await newOrganization(server.url, ada, "acme");
  let receiver: ReturnType<typeof spawn> | undefined;
  after(async () => {
    receiver?.kill("SIGKILL");
    await server.stop();
    removeFolder(folder);
  });

  const address = "/api/tenants/acme/audit-log/forwarding";
  const call = (method: string, target: string, body?: object) =>
    callApi<AuditForwardingSettingPayload>(server.url, method, target, { cookie: ada.cookie, body });
  const received = () =>
    existsSync(file("received"))
      ? readFileSync(file("received"), "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [];

  function startReceiver(): void {
    writeFileSync(
      file("rsyslog.conf"),
      [
        'module(load="imtcp" StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="anon")',
        "global(",
        '  maxMessageSize="64k"',
        `  workDirectory="${folder}"`,
        '  DefaultNetstreamDriver="gtls"',
        `  DefaultNetstreamDriverCAFile="${cert}"`,
        `  DefaultNetstreamDriverCertFile="${cert}"`,
        `  DefaultNetstreamDriverKeyFile="${key}"`,
        ")",
        `template(name="whole" type="string" string="%syslogfacility% %syslogseverity% %app-name% %msgid% %msg%\\n")`,
        `input(type="imtcp" address="127.0.0.1" port="${port}")`,
        `*.* action(type="omfile" file="${file("received")}" template="whole")`,
      ].join("\n"),
    );
    receiver = spawn("rsyslogd", ["-n", "-f", file("rsyslog.conf"), "-i", file("pid")], { stdio: "ignore" });
  }

  it("arrives with facility, application and the whole entry", async () => {
    startReceiver();
    const url = `syslog+tls://localhost:${port}`;
    assert.equal((await call("PUT", address, { url })).status, 200);
    await until("the receiver to accept", async () => (await call("POST", `${address}/test`)).status === 200);
    await call("POST", "/api/tenants/acme/folders", { path: "größe" });
    const line = await until("the entry", () => received().find((one) => one.includes("folder.created")));
    const [facility, severity, application, action] = line.split(" ");
    assert.deepEqual([facility, severity, application, action], ["13", "6", "svc", "folder.created"]);
    const entry = JSON.parse(line.slice(line.indexOf("{"))) as { action: string; metadata: object };
    assert.equal(entry.action, "folder.created");
    assert.match(JSON.stringify(entry.metadata), /größe/);
  });

  it("arrives in one line, with hidden characters as their numbers", async () => {
    const name = 'hid\u200bden "quoted" 🧪';
    assert.equal((await call("POST", "/api/user/tokens", { name })).status, 201);
    const line = await until("the entry", () => received().find((one) => one.includes("hid")));
    assert.ok(line.includes("hid\\u200bden"));
    const entry = JSON.parse(line.slice(line.indexOf("{"))) as { metadata: { name: string } };
    assert.equal(entry.metadata.name, name);
  });

  it("arrives while receivers of other organizations do not respond", async () => {
    const silent = createServer((socket) => socket.on("error", () => {}).resume());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    for (let at = 0; at < 12; at++) {
      await newOrganization(server.url, ada, `silent-${at}`);
      await call("PUT", `/api/tenants/silent-${at}/audit-log/forwarding`, { url });
    }
    const started = performance.now();
    await call("POST", "/api/tenants/acme/folders", { path: "undelayed" });
    await until("the entry", () => received().find((one) => one.includes('"undelayed"')));
    assert.ok(performance.now() - started < 5000);
    silent.close();
  });

  it("arrives after the receiver was away, each entry in order", async () => {
    receiver!.kill("SIGKILL");
    await call("POST", "/api/tenants/acme/folders", { path: "first" });
    await until("a failure", async () => (await call("GET", address)).data.forwarding?.state === "failing");
    await call("POST", "/api/tenants/acme/folders", { path: "second" });
    startReceiver();
    await until("the receiver to accept", async () => (await call("POST", `${address}/test`)).status === 200);
    const both = await until("the entries", () => {
      const found = received().filter((one) => /"(first|second)"/.test(one));
      return found.length >= 2 ? found : undefined;
    });
    assert.ok(both.at(-2)!.includes('"first"') && both.at(-1)!.includes('"second"'));
    assert.equal((await call("GET", address)).data.forwarding?.waiting, 0);
  });

  it("is not sent to a receiver whose certificate is not trusted", async () => {
    const url = `syslog+tls://127.0.0.2:${port}`;
    await call("PUT", address, { url });
    const { code, error } = await call("POST", `${address}/test`);
    assert.equal(code, "refused");
    assert.match(error!, /not trusted|can't be reached/);
  });
});
