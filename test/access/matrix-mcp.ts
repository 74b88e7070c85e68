/** The part of the matrix about tools and resources of the MCP server: the outcome is that of REST. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Permission } from "../../contract/vocabulary.ts";
import { decideSkill, isAllowedIn, type Verdict } from "../../src/access/decide.ts";
import { callers, contextFor, org, service, skills, type Caller, type Skill } from "./matrix-world.ts";

const codeOf: Record<Verdict, string | undefined> = {
  allowed: undefined,
  absent: "not_found",
  refused: "forbidden",
  unauthenticated: "unauthenticated",
};

/** The MCP server takes no signed calls. */
const agents = () => callers.filter(({ identity }) => identity === undefined);

const decide = (caller: Caller, permission: Permission, { payload, place }: Skill): Verdict =>
  decideSkill(caller.actor, permission, {
    skillId: payload.id,
    tenantId: org.id,
    visibility: payload.visibility,
    context: contextFor(caller, place),
  });

interface Message {
  result?: { isError?: boolean; content: { text: string }[]; structuredContent?: unknown };
  error?: { data?: { code: string } };
}

async function send(caller: Caller, method: string, params: object): Promise<Message> {
  const answer = await service.raw("POST", "/mcp", {
    token: caller.token,
    headers: { accept: "application/json, text/event-stream" },
    body: { jsonrpc: "2.0", id: 1, method, params },
  });
  return (await answer.json()) as Message;
}

const callTool = (caller: Caller, name: string, input: object) =>
  send(caller, "tools/call", { name, arguments: input });

/** The code of a refusal, by whichever part of the response it is reported. */
function refusalOf({ result, error }: Message): string | undefined {
  if (error) return error.data?.code ?? "unknown";
  return result?.isError ? (JSON.parse(result.content[1]!.text) as { code: string }).code : undefined;
}

/** Acts that change nothing where they are allowed, except for a further version. */
const acts: [Permission, tool: string, input: object][] = [
  ["skill:read", "get_skill", {}],
  ["skill:read", "read_skill", {}],
  ["skill:read", "list_versions", {}],
  ["skill:read", "diff_versions", { from: "1", to: "1" }],
  ["skill:update", "update_skill", { tags: [] }],
  ["skill:update", "publish_version", { content: "by a tool\n" }],
  ["skill:update", "publish_version", { content: "planned\n", dryRun: true }],
  ["skill:update", "revert_skill", { version: 1 }],
];

/** Registers the tests, in the world of the matrix. */
export function describeMcp(): void {
  describe("what each caller may do with each skill, over MCP", () => {
    for (const [permission, tool, input] of acts) {
      it(`${tool} as decided by ${permission}: ${JSON.stringify(input)}`, async () => {
        for (const caller of agents())
          await Promise.all(
            skills.map(async (skill) => {
              const ref = `${org.slug}/${skill.payload.slug}`;
              const message = await callTool(caller, tool, { skill: ref, ...input });
              const expected = codeOf[decide(caller, permission, skill)];
              assert.equal(refusalOf(message), expected, `${caller.name}: ${tool} of ${skill.payload.name}`);
            }),
          );
      });
    }

    it("resources/read as decided by skill:read", async () => {
      for (const caller of agents())
        await Promise.all(
          skills.map(async (skill) => {
            const uri = `skill://${org.slug}/${skill.payload.slug}/SKILL.md`;
            const message = await send(caller, "resources/read", { uri });
            const expected = codeOf[decide(caller, "skill:read", skill)];
            assert.equal(refusalOf(message), expected, `${caller.name}: ${skill.payload.name}`);
          }),
        );
    });

    it("search_skills and skills/list contain all that the caller may read, and no others", async () => {
      for (const caller of agents()) {
        if (caller.token === undefined) continue;
        const readable = skills
          .filter(({ place, payload }) =>
            isAllowedIn(caller.actor, "skill:read", org.id, contextFor(caller, place), payload.id),
          )
          .map(({ payload }) => `${org.slug}/${payload.slug}`)
          .toSorted();
        assert.deepEqual(await searchAll(caller), readable, caller.name);
        assert.deepEqual(await listAll(caller), readable, caller.name);
      }
    });
  });
}

async function searchAll(caller: Caller): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const input: object = { mine: true, limit: 20, cursor: cursor === null ? undefined : cursor };
    const { result }: Message = await callTool(caller, "search_skills", input);
    const page = result!.structuredContent as { skills: { skill: string }[]; nextCursor: string | null };
    found.push(...page.skills.map(({ skill }) => skill));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found.toSorted();
}

async function listAll(caller: Caller): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const message = await send(caller, "skills/list", cursor === undefined ? {} : { cursor });
    const page = message.result as object as { skills: { uri: string }[]; nextCursor?: string };
    found.push(...page.skills.map(({ uri }) => uri.slice("skill://".length, -"/SKILL.md".length)));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found.toSorted();
}
