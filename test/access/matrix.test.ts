/**
 * Every kind of caller, against every visibility and restriction, by every act, over REST and through the client: the
 * outcome is the pure decision's. What the decision is asked is written down here by hand, so the facts that the
 * service loads are checked along with it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { SearchFacets, SearchHit } from "../../contract/payloads/discovery/search.ts";
import type { FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { CatalogItem, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { visibilities, type Permission } from "../../contract/vocabulary.ts";
import { decideSkill, isAllowedIn, limitsOf, type Verdict } from "../../src/access/decide.ts";
import { signatureOf } from "../support/anonymous.ts";
import { openCli } from "../support/cli.ts";
import type { Answer } from "../support/service.ts";
import { describeCollections } from "./matrix-collections.ts";
import { describeImplied } from "./matrix-implied.ts";
import { describeMcp } from "./matrix-mcp.ts";
import { describeReach } from "./matrix-reach.ts";
import { describeRenames } from "./matrix-renames.ts";
import { describeReviews } from "./matrix-reviews.ts";
import { describeSecurity } from "./matrix-security.ts";
import { describeServers } from "./matrix-servers.ts";
import {
  around,
  callAs,
  callers,
  closeWorld,
  contextFor,
  folders,
  makeWorld,
  org,
  owner,
  pathOf,
  places,
  service,
  skills,
  statusOf,
  type Caller,
  type Place,
  type Skill,
} from "./matrix-world.ts";

const cliCodeOf: Record<Verdict, string> = {
  allowed: "",
  absent: "E_NOT_FOUND",
  refused: "E_FORBIDDEN",
  unauthenticated: "E_NOT_AUTHENTICATED",
};

await makeWorld();
const home = mkdtempSync(path.join(os.tmpdir(), "svc-matrix-"));
const cli = openCli({ home, cwd: home, apiUrl: () => service.url });

after(async () => {
  await closeWorld();
  rmSync(home, { recursive: true, force: true });
});

const decide = (caller: Caller, permission: Permission, skill: Skill): Verdict =>
  decideSkill(caller.actor, permission, {
    skillId: skill.payload.id,
    tenantId: org.id,
    visibility: skill.payload.visibility,
    context: contextFor(caller, skill.place),
  });

/** Acts that change nothing where they are allowed, so that every caller meets the same skills. */
const acts: [Permission, string, (skill: Skill) => [method: string, path: string, body?: unknown]][] = [
  ["skill:read", "read", ({ payload }) => ["GET", `/api/skills/${payload.id}`]],
  ["skill:read", "resolve", ({ payload }) => ["GET", `/api/skills/resolve?ref=${org.slug}/${payload.slug}`]],
  ["skill:read", "versions", ({ payload }) => ["GET", `/api/skills/${payload.publicId}/versions`]],
  ["skill:read", "content", ({ payload }) => ["GET", `/api/skills/${org.slug}~${payload.slug}/content`]],
  ["skill:read", "manifest", ({ payload }) => ["GET", `/api/skills/${payload.id}/manifest?version=1`]],
  ["skill:read", "scan", ({ payload }) => ["GET", `/api/skills/${payload.id}/versions/1/scan`]],
  ["skill:read", "diff", ({ payload }) => ["GET", `/api/skills/${payload.id}/diff?from=1&to=1`]],
  ["skill:update", "settings", ({ payload }) => ["PUT", `/api/skills/${payload.id}`, { tags: [] }]],
  [
    "skill:update",
    "push",
    ({ payload, place }) => ["POST", `/api/skills/${payload.id}/versions`, { content: `matrix ${place}\n` }],
  ],
  ["skill:update", "revert", ({ payload }) => ["POST", `/api/skills/${payload.id}/revert`, { version: 1 }]],
  [
    "skill:update",
    "marks of versions",
    ({ payload }) => ["PATCH", `/api/skills/${payload.id}/versions/1`, { yanked: false }],
  ],
  ["skill:read", "channels", ({ payload }) => ["GET", `/api/skills/${payload.id}/channels`]],
  [
    "skill:update",
    "a channel",
    ({ payload }) => ["PUT", `/api/skills/${payload.id}/channels/stable`, { version: 1 }],
  ],
  ["analytics:read", "analytics", ({ payload }) => ["GET", `/api/skills/${payload.id}/analytics`]],
  ["analytics:read", "adoption", ({ payload }) => ["GET", `/api/skills/${payload.id}/analytics/adoption`]],
  [
    "analytics:read",
    "reached installs",
    ({ payload }) => ["GET", `/api/skills/${payload.id}/reach/installs`],
  ],
];

describe("what each caller may do with each skill, over REST", () => {
  for (const [permission, name, call] of acts) {
    it(`${name} as decided by ${permission}`, async () => {
      for (const caller of callers)
        await Promise.all(
          skills.map(async (skill) => {
            const [method, target, body] = call(skill);
            const answer = await callAs(caller, method, target, body);
            const verdict = decide(caller, permission, skill);
            const expected = verdict === "allowed" && answer.status === 201 ? 201 : statusOf[verdict];
            assert.equal(answer.status, expected, `${caller.name}: ${name} of ${skill.payload.name}`);
          }),
        );
    });
  }

  it("deletes only what the caller may delete, and creates only where they may", async () => {
    for (const caller of callers) {
      for (const skill of skills) {
        const verdict = decide(caller, "skill:delete", skill);
        if (verdict === "allowed") continue;
        const answer = await callAs(caller, "DELETE", `/api/skills/${skill.payload.id}`);
        assert.equal(answer.status, statusOf[verdict], `${caller.name}: delete of ${skill.payload.name}`);
      }
      for (const place of places) {
        const answer = await callAs(caller, "POST", "/api/skills", {
          tenantId: org.slug,
          name: `by ${caller.name} in ${place}`,
          content: "x\n",
          folder: pathOf[place],
          tags: ["made"],
        });
        const isAllowed = isAllowedIn(caller.actor, "skill:create", org.id, contextFor(caller, place));
        const refusals = caller.actor.kind === "anonymous" ? [401] : [403, 404];
        const told = `${caller.name}: create in ${place}: ${answer.status} ${answer.error}`;
        assert.ok(isAllowed ? answer.status === 201 : refusals.includes(answer.status), told);
      }
    }
    await service.settled();
    const made = await service.app.storage.database.raw.collection("skills").find({ tags: "made" }).toArray();
    for (const { _id } of made)
      await service.call("DELETE", `/api/skills/${String(_id)}`, {
        token: owner.token,
      });
    await service.settled();
  });
});

describe("what each caller is shown in lists, over REST", () => {
  const slugs = (answer: { data: { slug: string }[] }) => answer.data.map((skill) => skill.slug).toSorted();
  const readable = (caller: Caller, where: (skill: Skill) => boolean = () => true) =>
    skills
      .filter(where)
      .filter(({ place, payload }) =>
        isAllowedIn(caller.actor, "skill:read", org.id, contextFor(caller, place), payload.id),
      )
      .map((skill) => skill.payload.slug)
      .toSorted();

  it("the skills of their organizations: all that they may read there, and no others", async () => {
    for (const caller of callers) {
      const { token } = caller;
      if (token === undefined) continue;
      for (const query of ["", "&query=matrix", `&tenant_id=${org.slug}`]) {
        const target: string = `/api/skills?limit=200${query}`;
        const answer: Answer<SkillPayload[]> = await service.call("GET", target, { token });
        if (query.includes("tenant_id") && caller.name === "stranger") {
          assert.equal(answer.code, "not_found");
        } else assert.deepEqual(slugs(answer), readable(caller), `${caller.name}: ${target}`);
      }
      for (const place of places) {
        const id = place === "root" ? "root" : folders.get(place)!.id;
        const answer: Answer<SkillPayload[]> = await service.call("GET", `/api/skills?folder_id=${id}`, {
          token,
        });
        // A token that is limited to skills sees no folder.
        const isUnseen = limitsOf(caller.actor).skillIds !== undefined && place !== "root";
        const expected = isUnseen ? [] : readable(caller, (skill) => skill.place === place);
        if (answer.status === 404) assert.deepEqual(expected, [], `${caller.name}: ${place}`);
        else assert.deepEqual(slugs(answer), expected, `${caller.name}: ${place}`);
      }
    }
  });

  it("page by page, each full or the last", async () => {
    for (const caller of callers.filter((one) => one.token !== undefined)) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const target: string = `/api/skills?limit=2${cursor ? `&cursor=${cursor}` : ""}`;
        const page: Answer<SkillPayload[]> = await service.call("GET", target, {
          token: caller.token,
        });
        cursor = page.nextCursor ?? null;
        if (cursor) assert.equal(page.data.length, 2, caller.name);
        seen.push(...page.data.map((skill) => skill.slug));
      } while (cursor);
      assert.deepEqual(seen.toSorted(), readable(caller), caller.name);
    }
  });

  it("the catalog: public, unrestricted skills, the same for every caller", async () => {
    const expected = ["open-public", "root-public"];
    for (const { token, name } of callers)
      for (const query of ["", "?query=matrix", "?sort=downloads", "?query=public"]) {
        const answer: Answer<CatalogItem[]> = await service.call("GET", `/api/explore${query}`, { token });
        assert.deepEqual(slugs(answer), expected, `${name}: ${query}`);
      }
  });

  for (const [name, words] of [
    ["the search", "query=matrix&"],
    ["the list without words", ""],
  ])
    it(`${name}: what they may read, in hits and in counts, by each scope`, () => searchAsAll(words));

  async function searchAsAll(words: string | undefined): Promise<void> {
    const open = ["open-public", "root-public"];
    for (const caller of callers)
      for (const scope of ["all", "mine", "public"]) {
        const own = caller.token === undefined ? [] : readable(caller);
        const all = [...new Set([...own, ...open])].toSorted();
        const expected = { all, mine: own, public: open }[scope];
        const target: string = `/api/search?${words}limit=200&facets=true&scope=${scope}`;
        const answer: Answer<SearchHit[]> = await service.call("GET", target, {
          token: caller.token,
        });
        if (scope === "mine" && caller.token === undefined) {
          assert.equal(answer.code, "unauthenticated");
          continue;
        }
        const { facets } = answer.body as { facets: SearchFacets };
        const counts = facets.scopes.map(({ count }) => count);
        assert.deepEqual(counts, [all.length, own.length, open.length], `${caller.name}: ${scope}`);
        assert.deepEqual(
          answer.data.map(({ skill }) => skill.slug).toSorted(),
          expected,
          `${caller.name}: ${scope}`,
        );
        assert.equal(facets.total, expected!.length, `${caller.name}: ${scope}`);
      }
  }

  it("the folders: those they may read in and the way there, with counts of what they may read", async () => {
    for (const caller of callers) {
      if (caller.token === undefined || caller.name === "stranger") continue;
      const answer: Answer<FolderPayload[]> = await service.call("GET", `/api/tenants/${org.slug}/folders`, {
        token: caller.token,
      });
      const reads = (place: Place) =>
        isAllowedIn(caller.actor, "skill:read", org.id, contextFor(caller, place));
      const named = places.filter((place) => place !== "root");
      const expected = named
        .filter((place) => named.some((inside) => around[inside].includes(place) && reads(inside)))
        .map((place) => `${pathOf[place]}: ${reads(place) ? visibilities.length : 0}`)
        .toSorted();
      assert.deepEqual(
        answer.data.map((folder) => `${folder.path}: ${folder.skillCount}`).toSorted(),
        expected,
        caller.name,
      );
    }
  });
});

describe("what each caller may do with each skill, through git", () => {
  const hidden = "never-was-here";
  /** Headers of a git client: a token as the password; or a signature, which no git client makes. */
  function headersOf({ token, identity }: Caller, target: string): Record<string, string> {
    const call = {
      method: "GET",
      path: target,
      body: "",
      now: service.app.now(),
    };
    if (identity) return signatureOf(identity, call);
    if (token === undefined) return {};
    return {
      authorization: `Basic ${Buffer.from(`anybody:${token}`).toString("base64")}`,
    };
  }
  async function look(caller: Caller, slug: string) {
    const target = `/${org.slug}/${slug}.git/info/refs?service=git-upload-pack`;
    const answer = await service.raw("GET", target, {
      headers: headersOf(caller, target),
    });
    const told = (await answer.text()).replaceAll(slug, "it");
    return {
      status: answer.status,
      asks: answer.headers.get("www-authenticate"),
      told,
    };
  }
  async function fetchPack(caller: Caller, slug: string): Promise<number> {
    const answer = await service.raw("POST", `/${org.slug}/${slug}.git/git-upload-pack`, {
      headers: {
        ...headersOf(caller, ""),
        "content-type": "application/x-git-upload-pack-request",
      },
      bytes: Buffer.from("0000"),
    });
    await answer.arrayBuffer();
    return answer.status;
  }
  /** Git asks for a password only after a 401, so a caller without one gets 401 whether or not the skill exists. */
  const statusFor = (caller: Caller, verdict: Verdict) =>
    verdict === "absent" && caller.actor.kind === "anonymous" ? 401 : statusOf[verdict];

  it("clones as decided by skill:read, with the same response for an invisible skill as for a missing one", async () => {
    for (const caller of callers) {
      const nothing = await look(caller, hidden);
      await Promise.all(
        skills.map(async (skill) => {
          const { slug } = skill.payload;
          const verdict = decide(caller, "skill:read", skill);
          const told = await look(caller, slug);
          const what = `${caller.name}: clone of ${skill.payload.name}`;
          assert.equal(told.status, statusFor(caller, verdict), what);
          if (verdict === "allowed") assert.match(told.told, /^001e# service=git-upload-pack\n/, what);
          if (verdict === "absent") assert.deepEqual(told, nothing, what);
        }),
      );
    }
  });

  it("sends packs as decided by skill:read on each request, and to no signature", async () => {
    const some = skills.filter(({ place }) => place === "root" || place === "vault");
    for (const caller of callers)
      await Promise.all(
        some.map(async (skill) => {
          const verdict = decide(caller, "skill:read", skill);
          const expected = caller.identity ? 401 : statusFor(caller, verdict);
          const status = await fetchPack(caller, skill.payload.slug);
          assert.equal(status, expected, `${caller.name}: fetch of ${skill.payload.name}`);
        }),
      );
  });

  it("takes no push from anybody", async () => {
    for (const caller of callers) {
      const target = `/${org.slug}/root-public.git/info/refs?service=git-receive-pack`;
      const answer = await service.raw("GET", target, {
        headers: headersOf(caller, target),
      });
      assert.equal(answer.status, 403, caller.name);
      await answer.text();
    }
  });
});

describe("what each caller may do, through the client", () => {
  const some = [
    "stranger",
    "viewer",
    "member",
    "member with an editor's grant",
    "owner's reading token",
    "organization's token for vault",
  ];

  it("versions and push come out as decided", async () => {
    for (const caller of callers.filter(({ name }) => some.includes(name))) {
      const env = { SVC_TOKEN: caller.token! };
      for (const place of ["open", "vault", "inner"] as const) {
        const skill = skills.find((one) => one.place === place && one.payload.visibility === "public")!;
        const ref = `${org.slug}/${skill.payload.slug}`;
        const file = path.join(home, `${place}.md`);
        writeFileSync(file, `matrix ${place}\n`);
        for (const [permission, args] of [
          ["skill:read", ["versions", ref]],
          ["skill:update", ["push", file, "--skill", ref]],
        ] as const) {
          const verdict = decide(caller, permission, skill);
          if (verdict === "allowed") await cli.json(args, { env });
          else
            assert.equal(
              (await cli.failure(args, { env })).code,
              cliCodeOf[verdict],
              `${caller.name}: ${args.join(" ")}`,
            );
        }
      }
    }
  });
});

describeMcp();
describeReach();
describeServers();
describeCollections();
describeReviews();
describeRenames();
describeSecurity();
describeImplied();
