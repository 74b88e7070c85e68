/** Rates of reads: the content of a fixed version, its 304, packages, and the request that does nothing. */
import { randomBytes } from "node:crypto";
import { type Row, row } from "../figures/figures.ts";
import { rate, rateRatios } from "../http/rates.ts";
import { largeBytes, newTenant, publishPackage, randomText, smallBytes, type Sides } from "./sides.ts";

const connections = 16;
/** The bare server reads the skill's document, which is written again by work that follows a publish. */
const quietMs = 2000;

type Headers = Record<string, string>;

export async function contentRows({ client, bare, startVerdaccio, rounds }: Sides): Promise<Row[]> {
  const verdaccio = await startVerdaccio();
  const tenantId = await newTenant(client, "reads");
  const { skill } = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId,
    name: "Read me",
    content: randomText(smallBytes),
    visibility: "public",
  });
  const tarball = await verdaccio.publish("read-me", "1.0.0", randomBytes(smallBytes));
  const path = `${client.base}/api/skills/${skill.id}/content?version=1`;
  const etag = (await fetch(path)).headers.get("etag") ?? "";
  const signedIn = { authorization: `Bearer ${client.token}` };
  await new Promise((resolve) => setTimeout(resolve, quietMs));

  const found = () => rate(`${bare}/found/${skill.id}`, {}, 200, { connections });
  const peer = () => rate(tarball, {}, 200, { connections });
  const rows: Row[] = [];
  for (const [name, headers] of [
    ["anonymous", {}],
    ["signed in", signedIn],
  ] as [string, Headers][]) {
    const read = () => rate(path, headers, 200, { connections });
    const [toBare, toPeer] = await rateRatios([read, found, peer], rounds);
    rows.push(
      row(`content, ${name} / bare findOne`, toBare!.ratio, "x", { least: 1.5 }, toBare!.note),
      row(`content, ${name} / Verdaccio's tarball`, toPeer!.ratio, "x", { least: 1.2 }, toPeer!.note),
    );
    const unmodified = () => rate(path, { ...headers, "if-none-match": etag }, 304, { connections });
    const [toFound] = await rateRatios([unmodified, found], rounds);
    rows.push(row(`304, ${name} / bare findOne`, toFound!.ratio, "x", { least: 2 }, toFound!.note));
  }
  return rows;
}

export async function packageRows({ client, startVerdaccio, rounds }: Sides): Promise<Row[]> {
  const verdaccio = await startVerdaccio();
  const tenantId = await newTenant(client, "packages");
  const rows: Row[] = [];
  for (const [name, bytes, options] of [
    ["package-8-kb", smallBytes, { connections }],
    // With more connections, none of them gets a whole package within a block.
    ["package-5-mb", largeBytes, { connections: 4, seconds: 4 }],
  ] as const) {
    const id = await publishPackage(client, tenantId, name, bytes);
    const tarball = await verdaccio.publish(name, "1.0.0", randomBytes(bytes));
    const path = `${client.base}/api/skills/${id}/package?version=1`;
    const [toPeer] = await rateRatios(
      [path, tarball].map((url) => () => rate(url, {}, 200, options)),
      rounds,
    );
    rows.push(row(`${name} / Verdaccio's tarball`, toPeer!.ratio, "x", { least: 1 }, toPeer!.note));
  }
  return rows;
}

export async function overheadRows({ client, bare, rounds }: Sides): Promise<Row[]> {
  const [ratio] = await rateRatios(
    [`${client.base}/healthz`, `${bare}/plain`].map((url) => () => rate(url, {}, 200, { connections })),
    rounds,
  );
  return [row("/healthz / bare koa", ratio!.ratio, "x", { least: 0.7 }, ratio!.note)];
}
