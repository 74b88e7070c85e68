/** The part of the matrix about the forms in which other clients read skills. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideSkill, type Verdict } from "../../src/access/decide.ts";
import {
  callers,
  contextFor,
  org,
  service,
  skills,
  statusOf,
  type Caller,
  type Skill,
} from "./matrix-world.ts";

const visitor = { kind: "anonymous", origin: { ipHash: undefined, source: "api", client: "api" } } as const;

const decide = (caller: Pick<Caller, "actor" | "grants">, { payload, place }: Skill): Verdict =>
  decideSkill(caller.actor, "skill:read", {
    skillId: payload.id,
    tenantId: org.id,
    visibility: payload.visibility,
    context: contextFor(caller as Caller, place),
  });

/** Whether anyone reads it by its address: an unlisted skill has another one. */
const isPublic = (skill: Skill) =>
  skill.payload.visibility === "public" && decide({ actor: visitor, grants: {} }, skill) === "allowed";

/** Signatures are accepted by other routes only. */
const tokens = () => callers.filter(({ identity }) => identity === undefined);

async function read(caller: Caller, path: string): Promise<{ status: number; text: string }> {
  const headers = caller.token === undefined ? undefined : { authorization: `Bearer ${caller.token}` };
  const response = await service.raw("GET", path, { headers });
  return { status: response.status, text: await response.text() };
}

interface Catalog {
  plugins: { name: string; source: { sha256: string } }[];
}

/** Registers the tests, in the world of the matrix. */
export function describeReach(): void {
  describe("what each caller gets in the forms of other clients", () => {
    it("is the same public skills in the indexes, for every caller", async () => {
      const expected = skills.filter(isPublic).map(({ payload }) => payload.slug);
      for (const caller of tokens())
        for (const form of ["agent-skills", "skills"]) {
          const { text } = await read(caller, `/${org.slug}/.well-known/${form}/index.json`);
          const found = (JSON.parse(text) as { skills: { name: string }[] }).skills.map(({ name }) => name);
          assert.deepEqual(found.toSorted(), expected.toSorted(), `${caller.name}: ${form}`);
        }
    });

    it("is public skills alone at their addresses, for every caller", async () => {
      for (const caller of tokens())
        for (const skill of skills) {
          const base = `/${org.slug}/${skill.payload.slug}`;
          for (const path of [
            `${base}.zip`,
            `${base}/1.0.0.zip`,
            `${base}/SKILL.md`,
            `${base}/.well-known/agent-skills/index.json`,
            `${base}/.well-known/agent-skills/1.0.0.zip`,
            `/${org.slug}/.well-known/agent-skills/${skill.payload.slug}/1.0.0.zip`,
            `/${org.slug}/.well-known/skills/${skill.payload.slug}/SKILL.md`,
          ]) {
            const { status } = await read(caller, path);
            assert.equal(status, isPublic(skill) ? 200 : 404, `${caller.name}: ${path}`);
          }
        }
    });

    it("is the configuration of OpenCode, which names no skill, for every caller", async () => {
      const texts = new Set<string>();
      for (const caller of tokens()) {
        const { status, text } = await read(caller, `/${org.slug}/.well-known/opencode`);
        assert.equal(status, 200, caller.name);
        texts.add(text);
      }
      assert.equal(texts.size, 1);
    });

    it("is what skill:read decides for statements about versions", async () => {
      for (const caller of tokens())
        for (const skill of skills) {
          const path = `/api/skills/${skill.payload.id}/versions/1/attestations`;
          const { status } = await read(caller, path);
          assert.equal(status, statusOf[decide(caller, skill)], `${caller.name}: ${path}`);
        }
    });

    it("is the badge of public skills alone, for every caller", async () => {
      for (const caller of tokens()) {
        const missing = await read(caller, `/${org.slug}/never-was-here/badge.svg`);
        for (const skill of skills) {
          const { status, text } = await read(caller, `/${org.slug}/${skill.payload.slug}/badge.svg`);
          const told = `${caller.name}: badge of ${skill.payload.name}`;
          assert.equal(status, isPublic(skill) ? 200 : 404, told);
          if (status === 404) assert.equal(text, missing.text, told);
        }
      }
    });

    it("is what skill:read decides for ClawHub's client", async () => {
      for (const caller of tokens())
        for (const skill of skills) {
          const { slug } = skill.payload;
          const expected = decide(caller, skill) === "allowed" ? 200 : 404;
          for (const path of [
            `skills/${slug}`,
            `skills/${slug}/file?path=SKILL.md`,
            `download?slug=${slug}`,
          ]) {
            const { status, text } = await read(caller, `/${org.slug}/clawhub/api/v1/${path}`);
            assert.equal(status, expected, `${caller.name}: ${path}`);
            if (status === 404) assert.equal(text, "Skill not found\n");
          }
        }
    });

    it("lists for ClawHub's client what the same caller's lists have", async () => {
      for (const caller of tokens()) {
        const { text } = await read(caller, `/${org.slug}/clawhub/api/v1/skills?limit=200`);
        const found = (JSON.parse(text) as { items: { slug: string }[] }).items.map(({ slug }) => slug);
        const { actor } = caller;
        const isOwn =
          actor.kind !== "anonymous" && actor.memberships.some(({ tenantId }) => tenantId === org.id);
        for (const skill of skills) {
          const { slug } = skill.payload;
          if (found.includes(slug)) assert.equal(decide(caller, skill), "allowed", `${caller.name}: ${slug}`);
          else if (!isOwn) assert.equal(isPublic(skill), false, `${caller.name}: ${slug}`);
        }
      }
    });

    it("is the public skills in the public marketplace, for every caller", async () => {
      const expected = skills.filter(isPublic).map(({ payload }) => payload.slug);
      for (const caller of tokens()) {
        const { text } = await read(caller, `/${org.slug}/claude/marketplace.json`);
        const found = (JSON.parse(text) as Catalog).plugins.map(({ name }) => name);
        assert.deepEqual(found.toSorted(), expected.toSorted(), caller.name);
        const { status } = await read(caller, `/${org.slug}.git/info/refs?service=git-upload-pack`);
        assert.equal(status, 200, caller.name);
      }
    });

    it("is the same in the marketplace of the members, and nothing that one of them may not read", async () => {
      const served = new Set<string>();
      for (const caller of tokens()) {
        const { status, text } = await read(caller, `/${org.slug}/-/members/claude/marketplace.json`);
        const refs = await read(caller, `/${org.slug}/-/members.git/info/refs?service=git-upload-pack`);
        // Git asks for a password only after this status.
        assert.equal(refs.status, status === 404 && caller.token === undefined ? 401 : status, caller.name);
        const { actor } = caller;
        const isMember =
          actor.kind !== "anonymous" && actor.memberships.some(({ tenantId }) => tenantId === org.id);
        if (!isMember) assert.ok([401, 404].includes(status), `${caller.name}: ${status}`);
        if (status !== 200) {
          assert.ok([401, 403, 404].includes(status), `${caller.name}: ${status}`);
          continue;
        }
        const { plugins } = JSON.parse(text) as Catalog;
        served.add(
          plugins
            .map(({ name, source }) => `${name} ${source.sha256}`)
            .toSorted()
            .join(),
        );
        for (const skill of skills) {
          const isServed = plugins.some(({ name }) => name === skill.payload.slug);
          if (isServed)
            assert.equal(decide(caller, skill), "allowed", `${caller.name}: ${skill.payload.slug}`);
        }
      }
      assert.equal(served.size, 1, [...served].join("\n"));
    });

    it("is what skill:read decides for the zips of marketplaces", async () => {
      for (const caller of tokens())
        for (const skill of skills) {
          const path = `/${org.slug}/-/packages/${skill.payload.slug}/1.0.0.zip`;
          const { status } = await read(caller, path);
          const isAllowed = decide(caller, skill) === "allowed";
          assert.equal(status === 200, isAllowed, `${caller.name}: ${path} ${status}`);
        }
    });
  });
}
