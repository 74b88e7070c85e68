/** The list of tools, and search for agents: order, reasons and pages. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callOk, callTool, openClients, type AnyClient, type ToolAnswer } from "../support/mcp/client.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const { service } = await setUpService();
const { owner, org } = await newOrganization(service);
const clients = await openClients(service, owner.token);
const visitors = await openClients(service);

after(async () => {
  for (const [, client] of [...clients, ...visitors]) await client.close();
});

describe("the list of tools", () => {
  it("has a title, schemas and annotations for each, in both generations", async () => {
    for (const [era, client] of clients) {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        [
          "search_skills",
          "get_skill",
          "read_skill",
          "list_versions",
          "diff_versions",
          "publish_skill",
          "publish_version",
          "update_skill",
          "move_skill",
          "revert_skill",
          "list_folders",
          "whoami",
        ],
        era,
      );
      for (const tool of tools) {
        assert.ok(tool.title && tool.description && tool.outputSchema, tool.name);
        const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations!;
        const isWrite = /^(publish|update|move|revert)_/.test(tool.name);
        assert.equal(readOnlyHint, !isWrite, tool.name);
        assert.equal(destructiveHint, /^(update|move|revert)_/.test(tool.name), tool.name);
        assert.equal(idempotentHint, !tool.name.startsWith("publish_"), tool.name);
      }
    }
  });

  it("is at most 32 KiB long, and names no field that a result may lack", async () => {
    const { tools } = await clients[0]![1].listTools();
    const size = JSON.stringify(tools).length;
    assert.ok(size <= 32 * 1024, `${size} characters`);
    const listOptionalFields = (schema: unknown): string[] => {
      if (typeof schema !== "object" || schema === null) return [];
      const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] };
      const missing = Object.keys(properties).filter((name) => !required.includes(name));
      return [...missing, ...Object.values(schema).flatMap(listOptionalFields)];
    };
    assert.deepEqual(
      tools.flatMap((tool) => listOptionalFields(tool.outputSchema)),
      [],
    );
    const outputOf = (name: string) => JSON.stringify(tools.find((tool) => tool.name === name)!.outputSchema);
    assert.match(outputOf("get_skill"), /"requiredMcpServers"/);
    assert.match(outputOf("list_folders"), /"can"/);
  });

  it("has only those that the caller could use", async () => {
    const reading = ["search_skills", "get_skill", "read_skill", "list_versions", "diff_versions"];
    const namesFor = async (token?: string) => {
      const [[, client]] = (await openClients(service, token)) as [[string, AnyClient]];
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    const mint = async (scopes: object) => {
      const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
        token: owner.token,
        body: { name: "scoped", scopes },
      });
      return made.data.token;
    };

    assert.deepEqual(await namesFor(), [...reading, "whoami"]);
    assert.deepEqual(await namesFor(await mint({ skill: ["read"] })), [...reading, "list_folders", "whoami"]);
    assert.deepEqual(await namesFor(await mint({ skill: ["create"] })), [
      ...reading,
      "publish_skill",
      "list_folders",
      "whoami",
    ]);
    const stranger = await service.newUser();
    assert.deepEqual(await namesFor(stranger.token), [...reading, "whoami"]);
  });
});

describe("search_skills", () => {
  interface Results {
    skills: { skill: string; matched: string[]; own: boolean; score: number }[];
    confidence: string;
    nextCursor: string | null;
  }

  before(async () => {
    const [[, client]] = clients as [[string, AnyClient]];
    const publish = (name: string, rest: object) =>
      callOk(client, "publish_skill", { organization: org.slug, name, content: `# ${name}\n`, ...rest });
    await publish("Described", { description: "Reviews zebras" });
    await publish("Zebra tagged", { tags: ["zebra"], visibility: "public" });
    await publish("Striped", { tags: ["zebra"] });
    await publish("Hidden text", { content: "A zebra below.\n", description: "Animals" });
    await service.settled();
    await until("the skills are indexed", async () => {
      const found = await callTool<Results>(client, "search_skills", { query: "zebra", mine: true });
      return found.data.skills.length === 4;
    });
  });

  it("ranks matches and names their reasons", async () => {
    for (const [era, client] of clients) {
      const { data, text } = await callOk<Results>(client, "search_skills", { query: "zebra" });
      assert.deepEqual(
        data.skills.map(({ skill, matched }) => [skill.split("/")[1], ...matched]),
        [
          ["zebra-tagged", "name", "tags", "headings"],
          ["striped", "tags"],
          ["described", "description"],
          ["hidden-text", "body"],
        ],
        era,
      );
      assert.match(text, /hidden-text .*\(A zebra below\.\)/);
      assert.equal(data.confidence, "high");
      const scores = data.skills.map(({ score }) => score);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
      assert.equal(scores[0], 1);
    }
    for (const [era, visitor] of visitors) {
      const { data } = await callOk<Results>(visitor, "search_skills", { query: "zebra" });
      assert.deepEqual(
        data.skills.map(({ skill, own }) => [skill, own]),
        [[`${org.slug}/zebra-tagged`, false]],
        era,
      );
    }
  });

  it("pages through all results once", async () => {
    const [[, client]] = clients as [[string, AnyClient]];
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const input: object = { query: "zebra", limit: 1, cursor: cursor === null ? undefined : cursor };
      const page: ToolAnswer<Results> = await callOk(client, "search_skills", input);
      seen.push(...page.data.skills.map(({ skill }) => skill));
      cursor = page.data.nextCursor;
    } while (cursor !== null);
    assert.equal(seen.length, 4);
    assert.equal(new Set(seen).size, 4);
    const foreign = await callTool(client, "search_skills", { query: "zebra", cursor: "WzFd" });
    assert.equal(foreign.error?.code, "invalid_request");
  });
});
