/** Puts and stages packs until it is killed; prints the name of each once it is durable. */
import { createHash, randomBytes } from "node:crypto";
import { openDriver, type DriverOptions } from "../../repos/store/open-driver.ts";
import { buildIndex, packHeader } from "../../repos/store/pack/format.ts";

const [options, tenantId, skillId] = process.argv.slice(2);
if (options === undefined || tenantId === undefined || skillId === undefined)
  throw new Error("three arguments are needed");
const repo = { tenantId, skillId };
const { packs, refs } = openDriver(JSON.parse(options) as DriverOptions, () => undefined);
const indexOf = (checksum: Buffer) =>
  buildIndex([{ oid: randomBytes(20).toString("hex"), offset: 12, crc: 0 }], checksum);

for (let n = 0; ; n++) {
  let pack: string;
  if (n % 3 === 0) {
    const stage = await packs.stage(repo, "create");
    for (let piece = 0; piece < 5; piece++)
      await stage.append([piece === 0 ? packHeader(0) : randomBytes(100_000)]);
    ({ pack } = await stage.publish(packHeader(1), indexOf));
  } else {
    const body = Buffer.concat([packHeader(1), randomBytes(n % 2 === 0 ? 300 : 200_000)]);
    const checksum = createHash("sha1").update(body).digest();
    pack = checksum.toString("hex");
    await packs.put(repo, pack, [body, checksum], indexOf(checksum), "create");
  }
  process.stdout.write(`${pack}\n`);
  await refs.advance(repo, async () => ({ main: pack, head: pack }));
}
