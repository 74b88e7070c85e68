/**
 * Baseline for the service: koa alone, on the same database engine. `/plain` sends a short JSON body, `/found/<skill>`
 * looks up one document and sends the bytes that it was started with.
 *
 * Arguments: the data folder of the service, and the number of bytes of `/found`.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { openLog } from "../../src/log.ts";
import { openDatabase } from "../../storage/database.ts";

const [dataDir = "", size = ""] = process.argv.slice(2);
const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
const database = await openDatabase(engine.uri, "svc");
const skills = database.raw.collection<{ _id: string }>("skills");
const content = randomBytes(Number(size)).toString("base64").slice(0, Number(size));

const koa = new Koa();
koa.use(async (ctx) => {
  const [, action, skillId = ""] = ctx.path.split("/");
  if (action === "plain") {
    ctx.body = { success: true, data: { status: "alive" } };
    return;
  }
  if (!(await skills.findOne({ _id: skillId }))) return;
  ctx.type = "json";
  ctx.body = content;
});
const answer = koa.callback();
const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(0));
