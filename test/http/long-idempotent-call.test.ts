import assert from "node:assert/strict";
import { it } from "node:test";
import { idempotencyStore } from "../../src/http/request/idempotency-store.ts";

it("a call that never ends keeps its Idempotency-Key for about a minute", (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  let renewals = 0;
  const warnings: string[] = [];
  const app = {
    now: () => new Date(0),
    log: { warn: (_: object, message: string) => warnings.push(message) },
    storage: {
      idempotency: {
        async renew() {
          renewals++;
        },
      },
    },
  };
  const store = idempotencyStore(app as never);

  store.keep("endless");
  const end = store.keep("short");
  t.mock.timers.tick(5000);
  end();
  assert.equal(renewals, 2);
  for (let second = 0; second < 600; second++) t.mock.timers.tick(1000);

  assert.ok(renewals >= 12 && renewals <= 13, String(renewals));
  assert.equal(warnings.length, 1);
});
