/** Search for agents: order, reasons and pages. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callOk, callTool, openClients, type AnyClient, type ToolAnswer } from "../support/mcp/client.ts";
import { startService, type TestOrg, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

let service: TestService;
let org: TestOrg;
let clients: [era: string, client: AnyClient][];
let visitors: [era: string, client: AnyClient][];

before(async () => {
  service = await startService();
  const owner = await service.newUser();
  org = await service.newOrg(owner);
  clients = await openClients(service, owner.token);
  visitors = await openClients(service);
});
after(async () => {
  for (const [, client] of [...clients, ...visitors]) await client.close();
  await service.close();
});

describe("search_skills", () => {
  interface Results {
    skills: { skill: string; matched: string[]; own: boolean }[];
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
          ["zebra-tagged", "name"],
          ["striped", "tag"],
          ["described", "description"],
          ["hidden-text", "text"],
        ],
        era,
      );
      assert.match(text, /zebra-tagged .*\[name\]/);
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
      const input: object = { query: "zebra", limit: 1, ...(cursor === null ? {} : { cursor }) };
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
