/** The part of the matrix about collections of skills. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type {
  CollectionDetailPayload,
  CollectionPayload,
  PublicCollectionPayload,
} from "../../contract/payloads/skills/collections.ts";
import { decideCollection, decideSkill, decideTenant, type Verdict } from "../../src/access/decide.ts";
import {
  callAs,
  callers,
  contextFor,
  folders,
  org,
  owner,
  service,
  skills,
  statusOf,
  type Caller,
  type Place,
} from "./matrix-world.ts";

interface Listed {
  place: Place;
  payload: CollectionDetailPayload;
}
const collections: Listed[] = [];
/** Folders of the collections: without a restriction, under one of a parent, and with an own one. */
const collectionPlaces = ["root", "sub", "inner"] as const;
const base = () => `/api/tenants/${org.id}/collections`;

/** Each has every skill of the world. */
async function makeCollections(): Promise<void> {
  for (const place of collectionPlaces) {
    const made = await service.call<CollectionDetailPayload>("POST", base(), {
      token: owner.token,
      body: {
        name: `Collection ${place}`,
        folderId: place === "root" ? null : folders.get(place)!.id,
        public: place === "root",
        skills: skills.map(({ payload }) => payload.id),
      },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    collections.push({ place, payload: made.data });
  }
}

const decide = (caller: Caller, act: "read" | "update", { place }: Listed): Verdict =>
  decideCollection(caller.actor, act, { tenantId: org.id, context: contextFor(caller, place) });

const readableSkills = (caller: Caller) =>
  skills
    .filter(
      ({ payload, place }) =>
        decideSkill(caller.actor, "skill:read", {
          skillId: payload.id,
          tenantId: org.id,
          // Listed only for those who may read it as members.
          visibility: payload.visibility === "unlisted" ? "private" : payload.visibility,
          context: contextFor(caller, place),
        }) === "allowed",
    )
    .map(({ payload }) => payload.slug);

/** Signatures are accepted by other routes only. */
const tokens = () => callers.filter(({ identity }) => identity === undefined);

/** Registers the tests, in the world of the matrix. */
export function describeCollections(): void {
  describe("what each caller may do with each collection, over REST", () => {
    before(makeCollections);

    it("reads it as decided by its folder, with the skills that the caller may read", async () => {
      for (const caller of tokens())
        for (const listed of collections) {
          const { slug } = listed.payload;
          const answer = await service.call<CollectionDetailPayload>("GET", `${base()}/${slug}`, {
            token: caller.token,
          });
          const verdict = decide(caller, "read", listed);
          const told = `${caller.name}: ${slug}`;
          assert.equal(answer.status, statusOf[verdict], told);
          if (verdict !== "allowed") continue;
          const expected = readableSkills(caller);
          assert.deepEqual(
            answer.data.skills.map((skill) => skill.slug),
            expected,
            told,
          );
          assert.equal(answer.data.skillCount, expected.length, told);
          assert.equal(answer.data.canUpdate, decide(caller, "update", listed) === "allowed", told);
        }
    });

    it("lists those that the caller may read, with counts of what they may read", async () => {
      for (const caller of tokens()) {
        const answer = await service.call<CollectionPayload[]>("GET", base(), { token: caller.token });
        const expected = collections
          .filter((one) => decide(caller, "read", one) === "allowed")
          .map(({ payload }) => `${payload.slug}: ${readableSkills(caller).length}`);
        const listed = answer.status === 200 ? answer.data : [];
        assert.deepEqual(
          listed.map(({ slug, skillCount }) => `${slug}: ${skillCount}`).toSorted(),
          expected.toSorted(),
          `${caller.name}: ${answer.status}`,
        );
      }
    });

    it("changes, orders, creates and deletes only as decided", async () => {
      for (const caller of tokens()) {
        for (const listed of collections) {
          const { slug, name, folderId } = listed.payload;
          const verdict = decide(caller, "update", listed);
          const told = `${caller.name}: ${slug}`;
          const changed = await callAs(caller, "PATCH", `${base()}/${slug}`, { name });
          assert.equal(changed.status, statusOf[verdict], told);
          const made = await callAs(caller, "POST", base(), { name: "Made", slug: "made", folderId });
          if (verdict === "allowed") assert.equal(made.status, 201, told);
          else assert.ok([401, 403, 404].includes(made.status), `${told}: ${made.status}`);
          const removed = await callAs(
            caller,
            "DELETE",
            `${base()}/${verdict === "allowed" ? "made" : slug}`,
          );
          assert.equal(removed.status, statusOf[verdict], told);
        }
        const ordered = await callAs(caller, "PUT", `/api/tenants/${org.id}/collection-order`, {
          collections: [],
        });
        const verdict = decideTenant(caller.actor, "organization:update", org.id);
        assert.equal(ordered.status, statusOf[verdict], caller.name);
      }
    });

    it("shows the same public collections to every caller, with public skills only", async () => {
      for (const { token, name } of callers) {
        const path = `/api/explore/organizations/${org.slug}/collections`;
        const answer = await service.call<PublicCollectionPayload[]>("GET", path, { token });
        assert.deepEqual(
          answer.data.map(({ slug, skills: shown }) => [slug, shown.map((skill) => skill.slug).toSorted()]),
          [["collection-root", ["open-public", "root-public"]]],
          name,
        );
      }
    });
  });
}
