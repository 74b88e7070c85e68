/** A deprecated skill, and one whose current version is deprecated, in the lists that other clients read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { indexPath, openReader, publishPackage, pushPackage, textOf } from "./fixture.ts";
import { jsonIn, openClones } from "./git-clones.ts";

const { service, owner, org } = await setUpOrganization();
const fixture = { service, owner, org };
const { read } = openReader(service);
const { clone } = await openClones(service, org);

const description = "Does things.";
const skill = await publishPackage(fixture, "old-tool");
await pushPackage(fixture, skill.id, "old-tool", { "notes.md": "Newer.\n" });
await service.settled();

/** `null` undoes it. `place`: of a version, default: the skill itself. */
async function deprecate(message: string | null, place = ""): Promise<void> {
  const answer = await service.call(place === "" ? "PUT" : "PATCH", `/api/skills/${skill.id}${place}`, {
    token: owner.token,
    body: { deprecated: message },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  await service.settled();
}
const [older, current] = ["/versions/1.0.0", "/versions/1.0.1"] as const;

interface Described {
  description: string;
}

/** Reads of a list, by the fields in which clients look for a description. */
const json = async (at: string) => JSON.parse(textOf((await read(at)).bytes)) as unknown;
const inIndex = (address: string, form?: string) => async () =>
  ((await json(indexPath(address, form))) as { skills: Described[] }).skills[0]!.description;
const inClawhub =
  <T>(at: string, of: (answer: T) => { summary: string }) =>
  async () =>
    of((await json(`/${org.slug}/clawhub/api/v1${at}`)) as T).summary;

const catalog = `/${org.slug}/claude/marketplace.json`;
const lists: Record<string, () => Promise<string>> = {
  "the index of the organization": inIndex(`/${org.slug}`),
  "its older form": inIndex(`/${org.slug}`, "skills"),
  "the index of the skill": inIndex(`/${org.slug}/old-tool`),
  "the marketplace as JSON": async () =>
    ((await json(catalog)) as { plugins: Described[] }).plugins[0]!.description,
  "the marketplace as a repository": async () => {
    const [listed] = jsonIn(await clone(".git"), ".claude-plugin/marketplace.json").plugins;
    return listed!.description!;
  },
  "a skill of ClawHub": inClawhub<{ skill: { summary: string } }>("/skills/old-tool", (one) => one.skill),
  "the list of ClawHub": inClawhub<{ items: { summary: string }[] }>("/skills", ({ items }) => items[0]!),
  "a search of ClawHub": inClawhub<{ results: { summary: string }[] }>(
    "/search?q=old",
    ({ results }) => results[0]!,
  ),
};

async function assertEverywhere(expected: string): Promise<void> {
  for (const [name, descriptionIn] of Object.entries(lists))
    assert.equal(await descriptionIn(), expected, name);
}

describe("the description in lists of other clients", () => {
  it("begins with the message of a deprecated skill, until that is undone", async () => {
    await assertEverywhere(description);
    await deprecate("Use new-tool.");
    await assertEverywhere(`[Deprecated: Use new-tool.] ${description}`);
    await deprecate("Use newer-tool.");
    await assertEverywhere(`[Deprecated: Use newer-tool.] ${description}`);
    await deprecate(null);
    await assertEverywhere(description);
  });

  it("begins with the message of a deprecated current version, until that is undone", async () => {
    await deprecate("It loses files.", current);
    await assertEverywhere(`[Deprecated: It loses files.] ${description}`);
    await deprecate(null, current);
    await assertEverywhere(description);
  });

  it("has the message of an older version only in the index of that version", async () => {
    await deprecate("Update to 1.0.1.", older);
    await assertEverywhere(description);
    assert.equal(
      await inIndex(`/${org.slug}/old-tool/1.0.0.zip`)(),
      `[Deprecated: Update to 1.0.1.] ${description}`,
    );
    await deprecate("Use new-tool.");
    await assertEverywhere(`[Deprecated: Use new-tool.] ${description}`);
    await deprecate(null);
    await deprecate(null, older);
  });

  it("changes the entity tags of documents, and the version of no plugin", async () => {
    const tagsOf = () =>
      Promise.all(
        [indexPath(`/${org.slug}`), catalog].map(async (at) => (await read(at)).headers.get("etag")),
      );
    const before = await tagsOf();
    await deprecate("Use new-tool.");
    const during = await tagsOf();
    assert.ok(during.every((tag, at) => tag !== null && tag !== before[at]));
    const { plugins } = (await json(catalog)) as { plugins: { version: string }[] };
    assert.equal(plugins[0]!.version, "1.0.1");
    await deprecate(null);
    assert.deepEqual(await tagsOf(), before);
  });

  it("stays within its limit, with the whole message", async () => {
    const content = `---\nname: wordy\ndescription: ${"word ".repeat(200).trim()}\n---\nHi\n`;
    const long = await publishSkill(service, org, owner, { name: "Wordy", content, visibility: "public" });
    const message = "Use new-tool. ".repeat(20).trim();
    const answer = await service.call("PUT", `/api/skills/${long.id}`, {
      token: owner.token,
      body: { deprecated: message },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const shown = await inIndex(`/${org.slug}/wordy`)();
    assert.ok(shown.startsWith(`[Deprecated: ${message}] word word`), shown);
    assert.ok(shown.length <= limits.skillDescriptionAdvised && shown.endsWith("…"), shown);
  });
});
