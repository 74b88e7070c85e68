/** The part of the matrix about held versions and their reviews. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SkillReachPayload } from "../../contract/payloads/skills/reach.ts";
import type { VersionResult } from "../../contract/payloads/skills/skills.ts";
import type { Permission } from "../../contract/vocabulary.ts";
import { decideSkill } from "../../src/access/decide.ts";
import { holdVersion, releaseVersion } from "../support/holds.ts";
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

const seesHeld = (caller: Caller, skill: Skill) =>
  decide(caller, "skill:read", skill) === "allowed" &&
  (["skill:update", "skill:review"] as const).some((one) => decide(caller, one, skill) === "allowed");

/** Any of these permissions lets a reader of a skill count who gets its versions. */
const countsReach = ["skill:update", "skill:review", "analytics:read"] as const;

export function describeReviews(): void {
  describe("what each caller gets of held versions, over REST", () => {
    it("is what skill:update and skill:review decide, in every form", async () => {
      for (const skill of skills) {
        const pushed = await service.call<VersionResult>("POST", `/api/skills/${skill.payload.id}/versions`, {
          token: owner.token,
          body: { content: "held\n" },
        });
        const { version, semver, commit } = pushed.data;
        await holdVersion(service.app, skill.payload.id, version, "review");
        for (const caller of callers) {
          const read = statusOf[decide(caller, "skill:read", skill)];
          const hidden = read === 200 ? 404 : read;
          const expected = seesHeld(caller, skill) ? 200 : hidden;
          const base = `/api/skills/${skill.payload.id}`;
          const told = `${caller.name}: ${skill.payload.name}`;
          for (const path of [
            `${base}/versions/${semver}`,
            `${base}/content?version=${version}`,
            `${base}/manifest?semver=${semver}`,
            `${base}/diff?from=1&to=${version}`,
            `/api/skills/resolve?ref=${org.slug}/${skill.payload.slug}&version=${semver}`,
          ])
            assert.equal((await callAs(caller, "GET", path)).status, expected, `${told}: ${path}`);
          const listed = await callAs(caller, "GET", `${base}/versions?limit=100`);
          const isListed = JSON.stringify(listed.data ?? []).includes(commit);
          assert.equal(isListed, expected === 200, `${told}: list`);
          const review = await callAs(caller, "GET", `${base}/versions/${semver}/review`);
          const asReviewer = statusOf[decide(caller, "skill:review", skill)];
          assert.equal(review.status, expected === 200 ? 200 : asReviewer, `${told}: review`);
        }
        await releaseVersion(service.app, skill.payload.id, version, "review");
      }
    });

    it("is the reach of a version for those who may update, review or, exactly, read analytics", async () => {
      for (const caller of callers)
        for (const skill of skills) {
          const path = `/api/skills/${skill.payload.id}/reach`;
          const answer = await callAs(caller, "GET", path);
          const reach = answer.data as SkillReachPayload;
          const told = `${caller.name}: reach of ${skill.payload.name}`;
          const read = decide(caller, "skill:read", skill);
          const may = countsReach.some((one) => decide(caller, one, skill) === "allowed");
          const refused = caller.actor.kind === "anonymous" ? 401 : 403;
          assert.equal(answer.status, read === "allowed" && !may ? refused : statusOf[read], told);
          if (answer.status === 200)
            assert.equal(reach.isExact, decide(caller, "analytics:read", skill) === "allowed", told);
        }
    });

    it("is no decision without skill:review", async () => {
      for (const caller of callers)
        for (const skill of skills) {
          const path = `/api/skills/${skill.payload.id}/versions/1/review`;
          const answer = await callAs(caller, "POST", path, {
            decision: "approve",
          });
          const verdict = decide(caller, "skill:review", skill);
          // The version does not wait, so that every caller meets the same skills.
          const expected = verdict === "allowed" ? 422 : statusOf[verdict];
          assert.equal(answer.status, expected, `${caller.name}: approve ${skill.payload.name}`);
        }
    });
  });
}
