/** Forms of requests and responses in which clients differ. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setUpService } from "../support/set-up.ts";
import { callOf, sendByHand, type Headers } from "./by-hand.ts";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "curl", version: "1" } },
});

describe("a request to an endpoint of the protocol", async () => {
  const { service } = await setUpService();
  const owner = await service.newUser();

  const send = (path: string, headers: Headers, body: string | Buffer) =>
    sendByHand(service, path, { authorization: `Bearer ${owner.token}`, ...headers }, body);

  it("is answered in JSON if its client names no form, any form, or JSON only", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "curl", version: "1" },
    };
    const params = { name: "none", arguments: {}, _meta: { progressToken: 1, ...meta } };
    const modern = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const modernHeaders = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "none",
    };
    const forms = [[], "*/*", "application/json", "application/*;q=0.5", "APPLICATION/JSON, text/html"];
    for (const path of ["/mcp", "/mcp/central"])
      for (const accept of forms)
        for (const [headers, body] of [
          [{}, initialize],
          [{}, callOf("none", {})],
          [{}, callOf("none", {}).replace('"arguments"', '"_meta":{"progressToken":1},"arguments"')],
          [modernHeaders, modern],
        ] as const) {
          const answer = await send(path, { ...headers, accept }, body);
          const subject = `${path} ${String(accept)} ${body}: ${answer.status} ${JSON.stringify(answer.body)}`;
          assert.match(String(answer.headers["content-type"]), /^application\/json/, subject);
          assert.notEqual(answer.status, 406, subject);
          if (headers !== modernHeaders) assert.equal(answer.status, 200, subject);
        }
    for (const accept of ["text/html", "text/event-stream", "application/json;q=0, text/event-stream"])
      assert.equal((await send("/mcp", { accept }, initialize)).status, 406, accept);
  });

  it("that is not JSON is an error in parsing", async () => {
    for (const path of ["/mcp", "/mcp/central"]) {
      for (const body of ["{", "", "not json", Buffer.from([0x22, 0xff, 0x22])]) {
        const { status, body: answered } = await send(path, {}, body);
        assert.deepEqual([status, answered.error?.code], [400, -32_700], `${path} ${body.toString()}`);
      }
      assert.equal((await send(path, {}, '{"jsonrpc":"2.0","id":1}')).status, 400);
    }
  });
});
