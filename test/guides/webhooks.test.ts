/** The receivers of the guide, as they are written there, with messages that the service delivers. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { WebhookDeliveryPayload } from "../../contract/payloads/organizations/webhooks.ts";
import { freePort } from "../support/free-port.ts";
import { root } from "../support/root.ts";
import { plainEnv, removeFolder, temporaryFolder } from "../support/server.ts";
import { closedAfter } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { setUpWebhooks } from "../support/webhooks.ts";
import { samplesOf } from "./markdown.ts";

const { app, call, create, deliver, detail } = await setUpWebhooks();
const folder = temporaryFolder("webhook-guide");
symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
await closedAfter({ close: () => removeFolder(folder) });

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const samples = [
  { language: "js", program: process.execPath, file: "receiver.mjs", skip: false },
  { language: "python", program: "python3", file: "receiver.py", skip: !hasPython },
];

describe("the guide to webhooks", () => {
  for (const { language, program, file, skip } of samples)
    it(`has a receiver in ${language} that takes messages, and no others`, { skip }, async () => {
      const [sample, ...more] = samplesOf("webhooks.md", "Verify messages", language);
      assert.deepEqual(more, []);
      const port = await freePort();
      const text = sample!.replace("8080", port);
      assert.notEqual(text, sample);
      writeFileSync(path.join(folder, file), text);
      const url = `http://127.0.0.1:${port}/`;
      const { webhook, secret } = await create({ url });
      const env = plainEnv({ WEBHOOK_SECRET: secret! });
      const receiver = spawn(program, [path.join(folder, file)], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      await closedAfter({ close: () => void receiver.kill("SIGKILL") });
      let output = "";
      receiver.stdout.setEncoding("utf8").on("data", (piece: string) => (output += piece));
      const forged = {
        "webhook-id": "msg_forged",
        "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
        "webhook-signature": `v1,${createHmac("sha256", "another").update("x").digest("base64")}`,
      };
      const status = await until("a running receiver", async () => {
        const answer = await fetch(url, { method: "POST", body: "{}", headers: forged }).catch(
          () => undefined,
        );
        return answer?.status;
      });
      assert.equal(status, 401);

      const { data: sent } = await call<WebhookDeliveryPayload>("POST", `/${webhook.id}/test`);
      await deliver(webhook);
      const { state, messageId, lastAttempt } = await detail(webhook, sent);
      assert.deepEqual([state, lastAttempt?.status], ["delivered", 204]);
      await until("a line about the message", () => output.includes(messageId));
      assert.match(output, new RegExp(`^${messageId} webhook.test ${app.config.baseUrl}/`, "m"));
    });
});
