/** For authors: the phrases that find a skill, and the skills that come before it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { FoundByPhrases, FoundByPosition } from "../../contract/payloads/discovery/found-by.ts";
import { phrasesOf } from "../../src/skills/search/found-by/phrases.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const { service } = await setUpService();
const { owner, org } = await newOrganization(service);
const developer = await newMember(service, org, "member");
const viewer = await newMember(service, org, "viewer");
const stranger = await service.newUser();
const folder = await newFolder(service, org, owner, "closed");
await restrict(service, owner, folder.id, []);
const text = (description: string, body = "") =>
  `---\ndescription: ${description}\n---\n# ${body || "Guide"}\n`;
const forms = await publishSkill(service, org, owner, {
  name: "Pdf forms",
  content: text(
    "Use when the user asks to fill in a form in a pdf, or to sign contracts.",
    "Fill form fields",
  ),
});
const hidden = await publishSkill(service, org, owner, {
  name: "Sign contracts",
  content: text("Sign contracts. Use when somebody wants to sign contracts."),
  folder: "closed",
});
const other = await publishSkill(service, org, owner, {
  name: "Contracts",
  content: text("Contracts to sign contracts, sign and review contracts."),
});
await service.settled();

const phrases = (skill: string, user: TestUser) =>
  service.call<FoundByPhrases>("GET", `/api/skills/${skill}/found-by`, { token: user.token });
const position = (skill: string, query: string, user: TestUser) =>
  service.call<FoundByPosition>(
    "GET",
    `/api/skills/${skill}/found-by/position?query=${encodeURIComponent(query)}`,
    { token: user.token },
  );

describe("the phrases that find a skill", () => {
  it("are of its own text, and find it first in the caller's search", async () => {
    const { data } = await phrases(forms.publicId, owner);

    assert.ok(data.phrases.length > 0 && data.phrases.length <= 5 && data.tried <= 12, JSON.stringify(data));
    for (const phrase of data.phrases) {
      const found = await service.call<{ skill: { publicId: string } }[]>(
        "GET",
        `/api/search?query=${encodeURIComponent(phrase)}`,
        { token: owner.token },
      );
      assert.equal(found.data[0]!.skill.publicId, forms.publicId, phrase);
    }
  });

  it("are those of the caller's token, also while another of the same person is asking", async () => {
    const desk = await newFolder(service, org, owner, "desk");
    const drafts = await publishSkill(service, org, owner, {
      name: "Drafts",
      content: text("Use when somebody wants to sign contracts.", "Notes on drafts"),
      folder: "desk",
    });
    await service.settled();
    const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: owner.cookie,
      body: { name: "narrow", allowedFolderIds: [desk.id], expiresInDays: 7 },
    });
    const narrow = { ...owner, token: made.data.token };
    const expected = [await phrases(drafts.publicId, owner), await phrases(drafts.publicId, narrow)];

    const together = await Promise.all([phrases(drafts.publicId, owner), phrases(drafts.publicId, narrow)]);

    const phrasesIn = ({ data }: (typeof expected)[number]) => data.phrases.toSorted();
    assert.notDeepEqual(phrasesIn(expected[0]!), phrasesIn(expected[1]!));
    assert.deepEqual(together.map(phrasesIn), expected.map(phrasesIn));
    await service.call("DELETE", `/api/skills/${drafts.publicId}`, { token: owner.token });
    await service.settled();
  });

  it("are a few words of tasks, headings, the description, tags and the name", () => {
    assert.deepEqual(
      phrasesOf(
        {
          name: "Pdf forms",
          description: "Fills forms. Use this skill when the user wants to fill in a PDF form, or the like.",
          tags: ["pdf", "forms"],
          body: "# Read form fields\n\n```\n# no heading counts\n```\n",
        },
        12,
      ).slice(0, 2),
      ["fill in a PDF form", "Read form fields"],
    );
    assert.deepEqual(phrasesOf({ name: "x", description: "the of", tags: [], body: "" }, 12), []);
  });

  it("are derived in time in proportion to the text", () => {
    const gap = `#${" ".repeat(60_000)}${"x".repeat(201)}`;
    for (const body of ["use when ".repeat(50_000), "# ".repeat(200_000), "\n#".repeat(200_000), gap])
      assert.ok(phrasesOf({ name: body, description: body, tags: [], body }, 12).length <= 12);
  });
});

describe("the place of a skill for a phrase", () => {
  it("names the skills before it that the caller may read, and counts only those", async () => {
    const asOwner = await position(forms.publicId, "sign contracts", owner);
    const asDeveloper = await position(forms.publicId, "sign contracts", developer);

    const idsOf = ({ data }: typeof asOwner) => data.before.map(({ publicId }) => publicId).toSorted();
    assert.deepEqual(idsOf(asOwner), [hidden.publicId, other.publicId].toSorted());
    assert.equal(asOwner.data.position, 3);
    assert.deepEqual(idsOf(asDeveloper), [other.publicId]);
    assert.equal(asDeveloper.data.position, 2);
    assert.ok(!JSON.stringify(asDeveloper.body).includes(hidden.slug));
  });

  it("is null if the phrase does not find it", async () => {
    const { data } = await position(forms.publicId, "kubernetes cluster", owner);

    assert.equal(data.position, null);
  });
});

describe("found-by", () => {
  it("is for those who may edit the skill, and hides skills as reading them does", async () => {
    for (const ask of [phrases, (skill: string, user: TestUser) => position(skill, "form", user)]) {
      assert.equal((await ask(forms.publicId, viewer)).status, 403);
      assert.equal((await ask(forms.publicId, stranger)).status, 404);
      assert.equal((await ask(hidden.publicId, developer)).status, 404);
      assert.equal((await ask("aaaaaaaaaa", developer)).status, 404);
    }
    assert.equal((await service.call("GET", `/api/skills/${forms.publicId}/found-by`)).status, 401);
  });

  it("refuses phrases as the search does", async () => {
    for (const query of ["", " ", "x".repeat(limits.searchQuery + 1)])
      assert.equal((await position(forms.publicId, query, owner)).status, 400, query.slice(0, 5));
  });
});
