/**
 * Generated sequences of changes: after each one, no object that a marketplace serves is of a skill that one of its
 * readers may not read, and each skill that all of them may read is in it with its current content. The API
 * tells who may read a skill.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import { openRandom, type Random } from "../support/random.ts";
import { runCount } from "../support/run-count.ts";
import type { TestUser } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { openClones } from "./git-clones.ts";

const { service } = await setUpService();
// The first account of a service is its administrator.
const administrator = await service.newUser();
const steps = runCount(15, 40);

interface Skill {
  id: string;
  publicId: string;
  slug: string;
  /** Marks in the content of its versions, the current one last. */
  marks: string[];
  isTakenDown: boolean;
}

interface Audience {
  place: string;
  /** Members of the audience, undefined for a stranger. Together, they may read what the whole audience may. */
  readers: (TestUser | undefined)[];
  collection?: string;
}

async function openScene(random: Random) {
  const { owner, org } = await newOrganization(service);
  const member = await newMember(service, org, "viewer");
  const granted = await newMember(service, org, "viewer");
  const team = await newFolder(service, org, owner, "team");
  const vault = await newFolder(service, org, owner, "team/vault");
  const folders = [team, vault];
  const clones = await openClones(service, org);
  const skills: Skill[] = [];
  const call = async <T>(method: string, path: string, body?: unknown, user = owner): Promise<T> => {
    const answer = await service.call<T>(method, path, { token: user.token, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.data;
  };
  const collections = `/api/tenants/${org.slug}/collections`;
  const made = [
    await call<{ slug: string }>("POST", collections, { name: "Team", folderId: team.id, skills: [] }),
    await call<{ slug: string }>("POST", collections, { name: "Open", public: true, skills: [] }),
  ];
  const audiences: Audience[] = [
    { place: ".git", readers: [undefined] },
    { place: "/-/members.git", readers: [member] },
    { place: "/-/collections/team.git", readers: [granted, owner], collection: "team" },
    { place: "/-/collections/open.git", readers: [undefined], collection: "open" },
  ];

  let marks = 0;
  /** A text that no other version has. */
  const newMark = () => `mark-${marks++}-of-a-version`;
  const read = ({ id }: Pick<Skill, "id">) => call<{ visibility: string }>("GET", `/api/skills/${id}`);
  const anySkill = () => (skills.length > 0 ? random.pick(skills) : undefined);
  const actions: Record<string, () => Promise<unknown>> = {
    publish: async () => {
      const mark = newMark();
      const { skill } = await call<PublishResult>("POST", "/api/skills", {
        tenantId: org.id,
        name: `Skill ${skills.length + marks}`,
        content: `# Skill\n${mark}\n`,
        type: random.once(4) ? "rule" : "skill",
        visibility: random.pick(["public", "public", "private", "unlisted"]),
        ...(random.chance(0.5) ? { folder: random.pick(["team", "team/vault"]) } : {}),
      });
      const { id, publicId, slug } = skill;
      skills.push({ id, publicId, slug, marks: [mark], isTakenDown: false });
    },
    push: async () => {
      const skill = anySkill();
      if (!skill || skill.isTakenDown) return;
      const mark = newMark();
      await call("POST", `/api/skills/${skill.id}/versions`, { content: `# Skill\n${mark}\n` });
      skill.marks.push(mark);
    },
    change: async () => {
      const skill = anySkill();
      const visibility = random.pick(["public", "private", "unlisted"]);
      if (skill && !skill.isTakenDown) await call("PUT", `/api/skills/${skill.id}`, { visibility });
    },
    move: async () => {
      const skill = anySkill();
      const folderId = random.pick([null, ...folders.map(({ id }) => id)]);
      if (skill && !skill.isTakenDown) await call("POST", `/api/skills/${skill.id}/move`, { folderId });
    },
    restrict: async () => {
      const isRestricted = random.chance(0.6);
      const grants = random.chance(0.5)
        ? [{ type: "member" as const, id: granted.id, level: "viewer" as const }]
        : [];
      await restrict(service, owner, random.pick(folders).id, isRestricted ? grants : [], isRestricted);
    },
    remove: async () => {
      const skill = random.once(2) ? anySkill() : undefined;
      if (!skill || skill.isTakenDown) return;
      await call("DELETE", `/api/skills/${skill.id}`);
      skills.splice(skills.indexOf(skill), 1);
    },
    takeDown: async () => {
      const skill = anySkill();
      if (!skill || (await read(skill)).visibility === "private") return;
      const act = skill.isTakenDown ? "lift-takedown" : "take-down";
      const path = `/api/admin/skills/${skill.publicId}/${act}`;
      await call("POST", path, { reason: "Generated" }, administrator);
      skill.isTakenDown = !skill.isTakenDown;
    },
    collect: async () => {
      const some = skills.filter(({ isTakenDown }) => !isTakenDown && random.chance(0.7));
      await call("PATCH", `${collections}/${random.pick(made).slug}`, { skills: some.map(({ id }) => id) });
    },
  };

  const isReadable = async ({ id }: Skill, { readers }: Audience): Promise<boolean> => {
    for (const reader of readers) {
      const { status } = await service.call("GET", `/api/skills/${id}`, { token: reader?.token });
      if (status !== 200) return false;
    }
    return true;
  };

  /** Compares what each audience is served with what it may read. */
  const check = async (): Promise<void> => {
    for (const audience of audiences) {
      const { place, collection } = audience;
      const token = audience.readers[0]?.token;
      const readable = new Set<Skill>();
      for (const skill of skills) if (await isReadable(skill, audience)) readable.add(skill);
      const isThere = (await clones.git("ls-remote", clones.addressOf(place, token))).code === 0;
      const all = isThere ? await clones.everythingIn(place, token) : "";
      const served = new Set(all.match(/mark-\d+-of-a-version/g));
      const allowed = new Set([...readable].flatMap((skill) => skill.marks));
      const leaked = [...served].filter((mark) => !allowed.has(mark));
      assert.deepEqual(leaked, [], `${place} serves what its readers may not read`);

      if (collection !== undefined) continue;
      for (const { id, slug, marks: own } of readable) {
        const isListed = place !== ".git" || (await read({ id })).visibility === "public";
        assert.equal(served.has(own.at(-1)!), isListed, `the current content of ${slug} in ${place}`);
      }
    }
  };
  return { actions, check };
}

describe("marketplaces", () => {
  for (let run = 0; run < runCount(1, 20); run++)
    it(`serve exactly what their readers may read after each of ${steps} changes (seed ${run})`, async () => {
      const random = openRandom(run);
      const { actions, check } = await openScene(random);
      const log: string[] = [];
      for (let step = 0; step < steps; step++) {
        const name = step < 6 ? "publish" : random.pick(Object.keys(actions));
        log.push(name);
        await actions[name]!();
        await check().catch((error: unknown) => {
          throw new Error(`after ${log.join(", ")}`, { cause: error });
        });
      }
    });
});
