import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { endsWithin } from "../engines/other-process.ts";
import { type Checkout, makeCheckout } from "./checkout.ts";

const SERVER = `
import { greeting } from "./src/greeting.ts";

let signals = 0;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    signals += 1;
    if (signals === 1) setTimeout(() => process.exit(10 + signals), 2500);
  });
}
console.log(greeting, process.argv.slice(2).join(" "), "pid " + process.pid);
setInterval(() => {}, 1000);
`;

describe("npm start", () => {
  let checkout: Checkout;
  const start = (args: string[] = [], options?: { asNpm: boolean }) =>
    checkout.run([process.execPath, "scripts/start.mjs", ...args], options);
  const builtAt = () => fs.statSync(path.join(checkout.dir, "dist/server.js")).mtimeMs;

  before(() => {
    checkout = makeCheckout();
    checkout.write("server.ts", SERVER);
    checkout.write("src/greeting.ts", 'export const greeting: string = "hello";\n');
  });
  after(() => checkout.remove());

  it("builds, runs the service with its arguments, and ends with its exit code", async () => {
    const service = start(["--role", "api"]);
    await service.untilSays("pid");
    service.child.kill("SIGTERM");

    const { code, output } = await service.ended;

    assert.match(output, /hello --role api pid/);
    assert.match(output, new RegExp(`pid ${service.child.pid}`));
    assert.equal(code, 11);
  });

  it("takes the signal that npm passes on and the one of the terminal as one", async () => {
    const service = start([], { asNpm: true });
    await service.untilSays("pid");
    service.child.kill("SIGINT");
    await sleep(100);
    service.child.kill("SIGINT");

    const { code } = await service.ended;

    assert.equal(code, 11);
  });

  it("hears a second signal that comes later", async () => {
    const service = start([], { asNpm: true });
    await service.untilSays("pid");
    service.child.kill("SIGINT");
    await sleep(1200);
    service.child.kill("SIGINT");

    const { code } = await service.ended;

    assert.equal(code, 12);
  });

  it("ends when npm is killed", async () => {
    const npm = checkout.run(["sh", "-c", `${process.execPath} scripts/start.mjs; true`], { asNpm: true });
    await npm.untilSays("pid");
    const pid = Number(/pid (\d+)/.exec(npm.output())?.[1]);

    npm.child.kill("SIGKILL");

    assert.ok(await endsWithin(pid, 5000));
  });

  it("builds again what was changed, renamed or removed, and nothing else", async () => {
    const service = () => checkout.run([process.execPath, "scripts/build.mjs"]).ended;
    const first = builtAt();
    await service();
    const untouched = builtAt();
    checkout.write("src/greeting.ts", 'export { greeting } from "./words.ts";\n');
    checkout.write("src/words.ts", 'export const greeting = "changed";\n');
    await service();
    const changed = builtAt();
    fs.renameSync(path.join(checkout.dir, "src/words.ts"), path.join(checkout.dir, "src/w.ts"));
    checkout.write("src/greeting.ts", 'export { greeting } from "./w.ts";\n');
    await service();

    assert.equal(untouched, first);
    assert.notEqual(changed, first);
    assert.deepEqual(fs.readdirSync(path.join(checkout.dir, "dist/src")).sort(), [
      "greeting.js",
      "greeting.js.map",
      "w.js",
      "w.js.map",
    ]);
  });

  it("starts nothing if the sources do not compile, and names the place", async () => {
    checkout.write("src/greeting.ts", "export const greeting: string = 7;\n");

    const { code, output } = await start().ended;

    assert.equal(code, 1);
    assert.match(output, /src\/greeting\.ts\(1,14\): error TS2322/);
    assert.match(output, /The service does not compile\./);
    assert.doesNotMatch(output, /pid/);
  });
});

describe("npm start without the development packages", () => {
  let checkout: Checkout;
  const remedy = /Nothing was changed or started\. Run: npm ci && npm run build && npm prune --omit=dev/;
  const inCheckout = (name: string) => path.join(checkout.dir, name);
  const start = () => checkout.run([process.execPath, "scripts/start.mjs"]);
  const packagesOf = (file: string) => {
    const lock = JSON.parse(fs.readFileSync(file, "utf8")) as { packages: Record<string, { dev?: true }> };
    return lock;
  };

  before(async () => {
    checkout = makeCheckout();
    checkout.write("server.ts", SERVER);
    checkout.write("src/greeting.ts", 'export const greeting: string = "hello";\n');
    await checkout.run([process.execPath, "scripts/build.mjs"]).ended;
    const lock = packagesOf(inCheckout("package-lock.json"));
    const kept = Object.entries(lock.packages).filter(([folder, { dev }]) => folder !== "" && !dev);
    fs.rmSync(inCheckout("node_modules"));
    checkout.write(
      "node_modules/.package-lock.json",
      JSON.stringify({ ...lock, packages: Object.fromEntries(kept) }),
    );
  });
  after(() => checkout.remove());

  it("runs what was built, also in a copy whose files have other times", async () => {
    const later = new Date(Date.now() + 60_000);
    for (const name of ["server.ts", "package-lock.json"]) fs.utimesSync(inCheckout(name), later, later);
    const service = start();
    await service.untilSays("pid");
    service.child.kill("SIGKILL");

    const { output } = await service.ended;

    assert.doesNotMatch(output, /Installing/);
    assert.deepEqual(fs.readdirSync(inCheckout("node_modules")), [".package-lock.json"]);
  });

  it("starts nothing if the sources were changed, and names the remedy", async () => {
    checkout.write("src/greeting.ts", 'export const greeting: string = "changed";\n');

    const { code, output } = await start().ended;

    assert.equal(code, 1);
    assert.match(output, /^dist\/server\.js is missing, or was built from other sources, and/);
    assert.match(output, remedy);
  });

  it("installs nothing if the lockfile was changed, and names the remedy", async () => {
    const lock = packagesOf(inCheckout("package-lock.json"));
    Object.assign(lock.packages["node_modules/koa"]!, { version: "3.99.0" });
    checkout.write("package-lock.json", JSON.stringify(lock));
    const later = new Date(Date.now() + 60_000);
    fs.utimesSync(inCheckout("package-lock.json"), later, later);

    const { code, output } = await start().ended;

    assert.equal(code, 1);
    assert.match(output, /^node_modules\/ does not have the packages of package-lock\.json, and/);
    assert.match(output, remedy);
    assert.deepEqual(fs.readdirSync(inCheckout("node_modules")), [".package-lock.json"]);
  });
});
