/** Rates of publishes, against those of Verdaccio: new skills at once, and new versions one after another. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { type Row, row } from "../figures/figures.ts";
import { rateRatios } from "../http/rates.ts";
import { newTenant, randomText, smallBytes, type Sides } from "./sides.ts";

const createdSkills = 64;
const newVersions = 24;
/** Versions are spread over some skills and packages, since each one gets slower as its history grows. */
const versionedSkills = 16;

/** Publishes per second. */
async function publishRate(
  count: number,
  concurrency: number,
  publish: () => Promise<unknown>,
): Promise<number> {
  const started = performance.now();
  await mapLimit(
    Array.from({ length: count }, () => undefined),
    concurrency,
    publish,
  );
  return (count / (performance.now() - started)) * 1000;
}

export async function publishRows({ client, startVerdaccio, rounds }: Sides): Promise<Row[]> {
  const verdaccio = await startVerdaccio();
  const tenantId = await newTenant(client, "writes");
  let n = 0;
  const create = () =>
    client.send<{ skill: { id: string } }>("POST", "/api/skills", {
      tenantId,
      name: `Write ${++n}`,
      content: randomText(smallBytes),
    });
  const createPeer = () => verdaccio.publish(`write-${++n}`, "1.0.0", Buffer.from(randomText(smallBytes)));
  const [created] = await rateRatios(
    [create, createPeer].map((publish) => () => publishRate(createdSkills, 16, publish)),
    rounds,
  );

  const skills: string[] = [];
  for (let index = 0; index < versionedSkills; index++) {
    skills.push((await create()).skill.id);
    await verdaccio.publish(`versioned-${index}`, "1.0.0", Buffer.from(randomText(smallBytes)));
  }
  let turn = 0;
  const append = () =>
    client.send("POST", `/api/skills/${skills[++turn % versionedSkills]}/versions`, {
      content: randomText(smallBytes),
    });
  let patch = 0;
  const appendPeer = () =>
    verdaccio.publish(
      `versioned-${++patch % versionedSkills}`,
      `1.1.${patch}`,
      Buffer.from(randomText(smallBytes)),
    );
  const [appended] = await rateRatios(
    [append, appendPeer].map((publish) => () => publishRate(newVersions, 1, publish)),
    rounds,
  );
  return [
    row("new skills, 16 at once / Verdaccio's publish", created!.ratio, "x", { least: 1 }, created!.note),
    row(
      "new versions, 1 at once / Verdaccio's publish",
      appended!.ratio,
      "x",
      { least: 1.2 },
      appended!.note,
    ),
  ];
}
