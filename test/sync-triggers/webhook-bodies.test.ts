/** Bodies sent to the webhook before the sender is known: those that are not read, and a few large ones. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { after, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { TestService } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const MiB = 1024 * 1024;
const secret = "the secret of the App";
const forged = `sha256=${"0".repeat(64)}`;
const unknown = "?connection=000000000000000000000000";

const github = { url: "https://github.com", apiUrl: "https://api.github.com", app: undefined };
const { service } = await setUpService({ trustProxy: 1, github: { ...github, webhookSecrets: [secret] } });
const { service: without } = await setUpService({ github: { ...github, webhookSecrets: [] } });

after(async () => {});

interface Begun {
  call: ClientRequest;
  answer: Promise<IncomingMessage>;
}

/** Sends the headers of a delivery, and nothing of its body yet. */
function begin(
  to: TestService,
  length: number,
  signature: string,
  { query = "", from = "203.0.113.1" } = {},
): Begun {
  const call = request(`${to.url}/api/webhooks/github${query}`, {
    method: "POST",
    headers: {
      "content-length": length,
      "x-forwarded-for": from,
      "x-github-delivery": randomBytes(8).toString("hex"),
      "x-github-event": "ping",
      "x-hub-signature-256": signature,
    },
  });
  const answer = once(call, "response").then(([response]) => (response as IncomingMessage).resume());
  // The response to an aborted delivery is an error.
  answer.catch(() => undefined);
  call.flushHeaders();
  return { call, answer };
}

async function statusOf({ answer, call }: Begun): Promise<number> {
  const response = await Promise.race([answer, wait(120_000)]);
  call.destroy();
  assert.ok(response !== "waits", "no answer");
  return response.statusCode!;
}

function signed(bytes: number, from: string): Begun {
  const body = Buffer.alloc(bytes, " ");
  body.write("{}");
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const begun = begin(service, bytes, signature, { from });
  begun.call.end(body);
  return begun;
}

const wait = (ms: number) => new Promise<"waits">((resolve) => setTimeout(resolve, ms, "waits"));

describe("the body of a delivery", () => {
  it("is not read if no signature could be valid", async () => {
    assert.equal(await statusOf(begin(service, 6 * MiB, "")), 401);
    assert.equal(await statusOf(begin(service, 6 * MiB, "sha256=00")), 401);
    assert.equal(await statusOf(begin(service, 6 * MiB, "sha256=00", { query: unknown })), 401);
    assert.equal(await statusOf(begin(without, 6 * MiB, forged)), 401);
  });

  it("is read for a missing connection, as for one with a wrong signature", async () => {
    const begun = begin(service, 100, forged, { query: unknown });
    assert.equal(await Promise.race([begun.answer, wait(300)]), "waits");
    begun.call.end(Buffer.alloc(100, " "));
    assert.equal(await statusOf(begun), 401);
  });

  it("may not be larger than the limit, whether or not it states its length", async () => {
    assert.equal(await statusOf(begin(service, limits.webhookBytes + 1, forged)), 413);

    const untold = await fetch(`${service.url}/api/webhooks/github`, {
      method: "POST",
      headers: { "x-github-delivery": "untold", "x-hub-signature-256": forged },
      body: new Blob([Buffer.alloc(limits.webhookBytes + 1, "x")]).stream(),
      duplex: "half",
    });
    assert.equal(untold.status, 413);
  });

  it("that is large needs one of a few slots, which no sender can block for long", async (t) => {
    const started = performance.now();
    const held = [begin(service, 6 * MiB, forged), begin(service, 6 * MiB, forged, { query: unknown })];
    const cut = held.map(({ call }) => once(call, "error"));
    await wait(2000);

    const late = await begin(service, 6 * MiB, forged).answer;
    assert.deepEqual([late.statusCode, late.headers["retry-after"]], [503, "1"]);
    assert.equal(await statusOf(signed(100_000, "203.0.113.1")), 202);
    assert.equal(await statusOf(signed(3 * MiB, "203.0.113.2")), 202);
    if (performance.now() - started > 9500)
      t.diagnostic("too slow to show that others are served in that time");

    await Promise.all(cut);
    assert.ok(performance.now() - started < 120_000);
    assert.equal(await statusOf(signed(3 * MiB, "203.0.113.1")), 202);
  });
});
