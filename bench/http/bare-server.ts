/**
 * Baseline for the service: koa alone, doing the same reads and writes on the same engines
 * with no checks, no schemas, no limits and no records of its own.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { openSkillStore } from "../../repos/store/index.ts";
import { hashSecret } from "../../src/secrets.ts";
import { openLog } from "../../src/log.ts";
import { newId, openDatabase } from "../../storage/database.ts";

const [dataDir = "", tokenText = ""] = process.argv.slice(2);
const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
const database = await openDatabase(engine.uri, "svc");
const store = openSkillStore({ root: `${dataDir}/bare-git`, committerHost: "localhost", autoMaintain: true });
const serviceStore = openSkillStore({ root: `${dataDir}/git`, committerHost: "localhost" });
const db = database.raw;

interface Stored {
  _id: string;
  tenantId: string;
  userId: string;
  oid: string;
  head: { version: number; oid: string };
}
const collection = (name: string) => db.collection<Stored>(name);

/** The look-ups that say who calls. */
async function whoCalls(): Promise<void> {
  const token = await collection("tokens").findOne({ hash: hashSecret(tokenText) });
  await Promise.all([
    collection("users").findOne({ _id: token?.userId ?? "" }),
    collection("memberships")
      .find({ userId: token?.userId ?? "" })
      .toArray(),
  ]);
}

async function readVersion(skillId: string): Promise<Stored | null> {
  const skill = await collection("skills").findOne({ _id: skillId });
  return skill && collection("versions").findOne({ skillId, version: 1 } as object);
}

let publishes = 0;
/** Pack, record and compare-and-set, as little as a durable publish can be. */
async function publish(skillId: string, content: string): Promise<number> {
  await whoCalls();
  const skills = collection("bare_skills");
  const skill = await skills.findOne({ _id: skillId });
  const version = (skill?.head.version ?? 0) + 1;
  const written = await store.writeCommit(
    { tenantId: "0".repeat(24), skillId },
    {
      ...(skill ? { parent: skill.head.oid } : {}),
      source: { kind: "files", files: [{ path: "SKILL.md", mode: "100644", data: Buffer.from(content) }] },
      author: { name: "bare", email: "bare@localhost" },
      at: new Date(),
      message: "bare",
      trailers: { "Svc-Version": String(version) },
    },
  );
  await skills.updateOne(
    { _id: skillId },
    { $set: { head: { version, oid: written.oid } } },
    { upsert: true },
  );
  await Promise.all([
    db
      .collection<{ _id: string }>("bare_versions")
      .insertOne({ _id: newId(), skillId, version } as { _id: string }),
    db
      .collection<{ _id: string }>("bare_audit")
      .insertOne({ _id: newId(), skillId, version } as { _id: string }),
  ]);
  return ++publishes;
}

const koa = new Koa();
koa.use(async (ctx) => {
  const [, action, skillId = ""] = ctx.path.split("/");
  if (action === "content") {
    await whoCalls();
    const version = await readVersion(skillId);
    const repo = { tenantId: version?.tenantId ?? "", skillId };
    const file = await serviceStore.readFile(repo, version?.oid ?? "", "SKILL.md");
    ctx.body = { success: true, data: { content: file?.data.toString("utf8") } };
  } else if (action === "held") {
    await whoCalls();
    await readVersion(skillId);
    ctx.status = 304;
  } else {
    const chunks: Buffer[] = [];
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
    const { content } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { content: string };
    ctx.status = 201;
    ctx.body = { success: true, data: await publish(skillId, content) };
  }
});
const answer = koa.callback();
const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(0));
