/** The part of the matrix about renames, previous slugs and reserved ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Permission } from "../../contract/vocabulary.ts";
import { decideSkill } from "../../src/access/decide.ts";
import {
  callAs,
  callers,
  contextFor,
  org,
  owner,
  service,
  skills,
  statusOf,
  type Caller,
  type Skill,
} from "./matrix-world.ts";

const decide = (caller: Caller, permission: Permission, { payload, place }: Skill) =>
  decideSkill(caller.actor, permission, {
    skillId: payload.id,
    tenantId: org.id,
    visibility: payload.visibility,
    context: contextFor(caller, place),
  });

const formerOf = ({ payload }: Skill) => `former-${payload.slug}`.slice(0, 60);

/** Gives every skill a previous slug. */
async function renameAll(): Promise<void> {
  for (const skill of skills)
    for (const slug of [formerOf(skill), skill.payload.slug]) {
      const path = `/api/skills/${skill.payload.id}/rename`;
      const { status } = await service.call("POST", path, { token: owner.token, body: { slug } });
      assert.equal(status, 200, skill.payload.name);
    }
}

export function describeRenames(): void {
  describe("renames and previous slugs", () => {
    it("let those who may read the skill follow, and look to others like a slug that no skill had", async () => {
      await renameAll();
      for (const caller of callers)
        for (const skill of skills) {
          const verdict = decide(caller, "skill:read", skill);
          const told = `${caller.name}: ${skill.payload.name}`;
          const at = (slug: string) => callAs(caller, "GET", `/api/skills/${org.slug}~${slug}`);
          const [former, none] = [await at(formerOf(skill)), await at("never-there")];
          assert.equal(former.status, verdict === "allowed" ? 301 : statusOf[verdict], told);
          if (verdict !== "allowed") {
            const withoutRef = ({ body }: typeof former, slug: string) =>
              JSON.stringify({ ...body, requestId: "" }).replaceAll(slug, "slug");
            assert.equal(withoutRef(former, formerOf(skill)), withoutRef(none, "never-there"), told);
          }
          const ref = `${org.slug}/${formerOf(skill)}`;
          const resolved = await callAs(caller, "GET", `/api/skills/resolve?ref=${ref}`);
          assert.equal(resolved.status, statusOf[verdict], `${told}: resolve`);
        }
    });

    it("are for those who may update the skill", async () => {
      for (const caller of callers)
        for (const skill of skills) {
          const path = `/api/skills/${skill.payload.id}/rename`;
          const body = { slug: "planned-by-matrix", dryRun: true };
          const { status } = await callAs(caller, "POST", path, body);
          const verdict = decide(caller, "skill:update", skill);
          const isKey = caller.actor.kind === "anonymous-key";
          const expected = isKey && verdict === "allowed" ? 422 : statusOf[verdict];
          assert.equal(status, expected, `${caller.name}: ${skill.payload.name}`);
        }
    });

    it("leave slugs that only owners list and free", async () => {
      for (const caller of callers) {
        const isOwner = ["owner"].includes(caller.name);
        const path = `/api/tenants/${org.slug}/reserved-slugs`;
        const listed = await callAs(caller, "GET", path);
        const freed = await callAs(caller, "DELETE", `${path}/never-there`);
        if (isOwner) assert.deepEqual([listed.status, freed.status], [200, 404], caller.name);
        else if (listed.status === 200) assert.ok(ownsAll(caller), caller.name);
        else
          for (const { status } of [listed, freed])
            assert.ok([401, 403, 404].includes(status), `${caller.name}: ${status}`);
      }
    });
  });
}

/** Whether a caller has every permission of an owner, as an owner's unrestricted token has. */
const ownsAll = ({ actor }: Caller): boolean =>
  actor.kind !== "anonymous" &&
  actor.memberships.some(({ tenantId, role }) => tenantId === org.id && role === "owner");
