import assert from "node:assert/strict";
import os from "node:os";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { App } from "../../src/app.ts";
import { composeMail, inertName, quotedName } from "../../src/mail/compose.ts";
import { checkLink, readLink, signLink } from "../../src/mail/signed-link.ts";
import { openSecrets } from "../../src/secrets.ts";

const keys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
let now = new Date("2026-03-01T10:00:00.400Z");
const app = { secrets: openSecrets({ keys, dataDir: os.tmpdir() }), now: () => now } as App;
const expiresAt = new Date("2026-03-08T10:00:00.400Z");
const link = { id: "66aa00000000000000000001", expiresAt, bind: "hash" };

describe("the token of a link", () => {
  it("is deterministic, so that a job creates it again from the id", () => {
    const token = signLink(app, "invitation", link);

    assert.equal(signLink(app, "invitation", { ...link }), token);
    assert.match(token, /^[\w.-]+$/, "goes into an address as it is");
    assert.equal(readLink(token)?.id, link.id);
    assert.equal(readLink(token)?.expiresAt.toISOString(), "2026-03-08T10:00:00.000Z");
    assert.equal(checkLink(app, "invitation", token, "hash"), "valid");
  });

  it("is invalid for another purpose, expiry, id or set of facts", () => {
    const token = signLink(app, "invitation", link);
    const [id, end, signature] = token.split(".") as [string, string, string];
    const later = (Number.parseInt(end, 36) + 1).toString(36);

    assert.equal(checkLink(app, "reset-password", token, "hash"), "invalid");
    assert.equal(checkLink(app, "invitation", token, "other"), "invalid");
    assert.equal(checkLink(app, "invitation", token), "invalid");
    assert.equal(checkLink(app, "invitation", `${id}.${later}.${signature}`, "hash"), "invalid");
    assert.equal(
      checkLink(app, "invitation", `${id.replace("1", "2")}.${end}.${signature}`, "hash"),
      "invalid",
    );
  });

  it("expires on time, and a forged one is not reported as expired", (t) => {
    const token = signLink(app, "invitation", link);
    t.after(() => (now = new Date("2026-03-01T10:00:00.400Z")));

    now = new Date(expiresAt.getTime() - 1000);
    assert.equal(checkLink(app, "invitation", token, "hash"), "valid");
    now = expiresAt;
    assert.equal(checkLink(app, "invitation", token, "hash"), "expired");
    assert.equal(checkLink(app, "invitation", `${token.slice(0, -43)}${"A".repeat(43)}`, "hash"), "invalid");
  });

  it("rejects arbitrary texts and any change as forgeries", () => {
    const token = signLink(app, "confirm-email", link);
    fc.assert(
      fc.property(fc.string(), (text) => checkLink(app, "confirm-email", text, "hash") === "invalid"),
    );
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom("a", "Z", "9", "-", "_", "."), (at, letter) => {
        const altered = token.slice(0, at) + letter + token.slice(at + 1);
        return altered === token || checkLink(app, "confirm-email", altered, "hash") === "invalid";
      }),
    );
  });
});

describe("a composed mail", () => {
  it("escapes all its values", () => {
    const evil = `<img src=x onerror="alert('1')">&`;
    const { html, text, subject } = composeMail("https://skills.example", {
      subject: evil,
      before: [evil],
      link: { label: evil, url: `https://skills.example/?a="><script>` },
      after: [evil],
      command: { label: evil, line: evil },
    });

    assert.doesNotMatch(html, /<img|<script/);
    assert.equal(html.split("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;").length, 7);
    assert.ok(text.includes(evil));
    assert.equal(subject, evil);
  });

  it("needs no link", () => {
    const { html, text } = composeMail("https://skills.example", {
      subject: "Changed",
      before: ["It was changed."],
      after: [],
    });

    assert.equal(html.includes("<a "), false);
    assert.equal(text, "It was changed.\n\n-- \nSent by the skill registry at https://skills.example\n");
  });

  it("contains no link for a name that looks like one", () => {
    assert.equal(quotedName('A\r\nBcc: x@evil.example "now" \u202E'), `"A Bcc: x@ evil. example 'now'"`);
    assert.equal(quotedName("x".repeat(500)), `"${"x".repeat(59)}…"`);
    assert.equal(Array.from(quotedName("👩‍🚀".repeat(500))).length, 62);
    assert.equal(inertName("Acme Inc."), "Acme Inc.");
    assert.equal(inertName("O'Neil  &\nSons\u202E"), "O'Neil & Sons");
    for (const name of ["win.example", "https://win.example/now", "call me@win.example", "www.例え.テスト"])
      assert.doesNotMatch(inertName(name), /\S[.:@]\S/, name);
  });
});
