import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { parse } from "smol-toml";
import { agentClients } from "../../contract/agent-clients.ts";
import { root } from "../support/root.ts";

describe("the configuration of clients", () => {
  const url = "https://skills.example.com/mcp";

  const all = (address: string) =>
    (["browser", "token"] as const).flatMap((signIn) => agentClients(address, { signIn }));

  it("is that of the guide", () => {
    const guide = readFileSync(path.join(root, "docs/guides/mcp.md"), "utf8");
    for (const { name, file, text } of all(url)) {
      assert.ok(guide.includes(`\n${text}\n`), name);
      if (file !== undefined) assert.ok(guide.includes(`\`${file}\``), name);
    }
  });

  it("is valid in its language, and contains no token", () => {
    for (const { name, language, text } of all(url)) {
      if (language === "json") assert.ok(JSON.stringify(JSON.parse(text)).includes(url), name);
      if (language === "toml") assert.ok(JSON.stringify(parse(text)).includes(url), name);
      assert.doesNotMatch(text, /lskt?_/, name);
    }
  });

  it("writes addresses with special characters as its language requires", () => {
    const odd = 'https://skills.example.com/"\\';
    for (const { name, language, text } of all(odd)) {
      if (language === "json") assert.ok(Object.values(JSON.parse(text) as object).length > 0, name);
      if (language === "toml") assert.ok(parse(text), name);
    }
  });
});
