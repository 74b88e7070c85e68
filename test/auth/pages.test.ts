import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import { safeReturnTo } from "../../src/auth/pages/return-to.ts";
import { Html, html } from "../../src/http/pages/html.ts";
import { pagePolicy } from "../../src/http/service/security.ts";
import { cookieOf, password, signUp, startAccounts, type AccountsService } from "../support/accounts-app.ts";
import { anyCharacter } from "../support/any-character.ts";
import { runCount } from "../support/run-count.ts";

const hostile = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;
/** The script of a page with a form, and the part of the policy that allows it. */
const ownScript = {
  element: /<script type="module" nonce="[\w+/=]{24}">[^<]*(?:<(?!\/script)[^<]*)*<\/script>/,
  policy: /; script-src 'nonce-[\w+/=]{24}'; connect-src 'self'$/,
};
const withoutOwnScript = (text: string) => text.replace(ownScript.element, "");
const escaped = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;&lt;img src=x onerror=alert(1)&gt;";

const characters: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const read = (shown: string | undefined) =>
  shown?.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name]!);

describe("the html tag", () => {
  it("lets no text open a tag, close an attribute or start an entity", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const made = html`<a title="${text}">${[text]}</a>`.toString();
        const [, title, content] = /^<a title="([^"<>']*)">([^"<>']*)<\/a>$/s.exec(made) ?? [];
        assert.equal(read(title), text);
        assert.equal(read(content), text);
      }),
    );
  });

  it("keeps HTML that it made, and renders absent values as nothing", () => {
    const inner = html`<b>${"<"}</b>`;
    assert.equal(html`${inner}${undefined}${null}${false}${0}`.toString(), "<b>&lt;</b>0");
    assert.ok(inner instanceof Html);
    assert.equal(html`${inner.toString()}`.toString(), "&lt;b&gt;&amp;lt;&lt;/b&gt;");
  });
});

describe("the return path of a sign-in", () => {
  const own = "https://skills.example.org";

  it("is a path of the service for any input", () => {
    const nasty = fc
      .array(
        fc.constantFrom(
          "/",
          "\\",
          "//",
          ".",
          "..",
          "@",
          ":",
          "evil.example",
          "http:",
          "javascript:",
          "?",
          "#",
          "\t",
          "\n",
          "%2f",
          "%5c",
          "\u3002",
          " ",
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        fc.oneof(
          nasty,
          nasty.map((text) => `/${text}`),
          fc.string(),
          fc.webUrl(),
        ),
        (given) => {
          const path = safeReturnTo(given);
          assert.match(path, /^\/(?![/\\])[\x21-\x7e]*$/);
          assert.equal(new URL(path, own).origin, own);
        },
      ),
      { numRuns: runCount(200, 20000) },
    );
  });

  it("keeps paths of the service and drops other URLs", () => {
    const cases: [string | undefined, string][] = [
      [undefined, "/"],
      ["", "/"],
      ["/device?user_code=BBBB-BBBB", "/device?user_code=BBBB-BBBB"],
      ["//evil.example", "/"],
      ["/\\evil.example", "/"],
      ["/\t/evil.example", "/"],
      ["/.//evil.example", "/"],
      ["/x/..//evil.example", "/"],
      ["https://evil.example/", "/"],
      ["javascript:alert(1)", "/"],
      ["/a#b", "/a"],
    ];
    for (const [given, path] of cases) assert.equal(safeReturnTo(given), path, given);
  });
});

describe("the pages", () => {
  let service: AccountsService;
  before(async () => void (service = await startAccounts()));
  beforeEach(() => service.clear());
  after(() => service.close());

  const startDevice = async (hostname = "workbench") => {
    const answer = await service.call("POST", "/api/auth/device/code", {
      urlencoded: { client_id: "svc-cli", hostname },
    });
    return { userCode: String(answer.body["user_code"]), deviceCode: String(answer.body["device_code"]) };
  };

  it("load only one style sheet, run no script and can't be framed or cached", async () => {
    const { cookie } = await signUp(service, "ada");
    const { userCode } = await startDevice();
    const visits: [string, object][] = [
      ["/sign-in", {}],
      ["/sign-up", {}],
      ["/device", { cookie }],
      [`/device?user_code=${userCode}`, { cookie }],
    ];

    for (const [path, options] of visits) {
      const answer = await service.call("GET", path, options);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
      assert.equal(answer.headers.get("content-security-policy")?.replace(ownScript.policy, ""), pagePolicy);
      assert.equal(answer.headers.get("x-frame-options"), "DENY");
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.doesNotMatch(withoutOwnScript(answer.text), /<script|style=|javascript:|\son\w+=/i);
      assert.match(answer.text, /^<!doctype html>\s*<html lang="en">/);
    }
  });

  it("serve the style sheet as immutable under a name that changes with it", async () => {
    const { text } = await service.call("GET", "/sign-in");
    const [, path] = /<link rel="stylesheet" href="(\/assets\/pages-[0-9a-f]{16}\.css)"/.exec(text) ?? [];

    const sheet = await service.call("GET", path!);

    assert.equal(sheet.status, 200);
    assert.equal(sheet.headers.get("content-type"), "text/css; charset=utf-8");
    assert.equal(sheet.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.match(sheet.text, /light-dark\(/);
    assert.equal((await service.call("GET", "/assets/pages-0000000000000000.css")).status, 404);
  });

  it("sign a user in by form, and return to the previous page", async () => {
    await signUp(service, "ada");
    const { userCode } = await startDevice();
    const away = await service.call("GET", `/device?user_code=${userCode}`);
    assert.equal(away.status, 303);
    const signInPath = away.headers.get("location")!;
    const page = await service.call("GET", signInPath);
    const [, returnTo] = /name="return_to" value="([^"]*)"/.exec(page.text) ?? [];
    assert.equal(returnTo, `/device?user_code=${userCode}`);

    const answer = await service.call("POST", "/sign-in", {
      form: { email: "ada@example.org", password, return_to: returnTo },
      headers: { origin: service.url },
    });

    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get("location"), `/device?user_code=${userCode}`);
    const device = await service.call("GET", returnTo, { cookie: cookieOf(answer) });
    assert.match(device.text, /Signed in as <bdi>ada<\/bdi>/);
  });

  it("never redirect a browser to another site", async () => {
    await signUp(service, "ada");

    for (const return_to of ["https://evil.example", "//evil.example", "/\\evil.example"]) {
      const form = { email: "ada@example.org", password, return_to };
      const answer = await service.call("POST", "/sign-in", { form });
      assert.equal(answer.headers.get("location"), "/", return_to);
    }
  });

  it("show errors in the form, and keep all input but the password", async () => {
    await signUp(service, "ada");

    const wrong = await service.call("POST", "/sign-in", {
      form: { email: hostile, password: "my secret phrase" },
    });
    const taken = await service.call("POST", "/sign-up", {
      form: { email: "ada@example.org", password, name: hostile, username: "other" },
    });
    const short = await service.call("POST", "/sign-up", {
      form: { email: "x@example.org", password: "short", name: "X", username: "other" },
    });
    const empty = await service.call("POST", "/sign-up", { form: {} });

    assert.equal(wrong.status, 401);
    assert.ok(wrong.text.includes(`value="${escaped}"`));
    assert.ok(!wrong.text.includes("my secret phrase"));
    assert.equal(taken.status, 409);
    assert.ok(taken.text.includes(escaped));
    assert.match(taken.text, /role="alert">[^<]*taken/);
    assert.equal(short.status, 400);
    assert.match(short.text, /role="alert">Password: must have 12 to 256 characters/);
    assert.equal(empty.status, 400);
    for (const { text } of [wrong, taken, short]) assert.doesNotMatch(withoutOwnScript(text), /<script/);
  });

  it("approve a device by form, showing code, client, address and account", async () => {
    const { cookie } = await signUp(service, "ada");
    const { userCode, deviceCode } = await startDevice(hostile);

    const page = await service.call("GET", `/device?user_code=${userCode.toLowerCase()}`, { cookie });
    assert.ok(page.text.includes(`<p class="code">${userCode}</p>`));
    assert.ok(page.text.includes(`<bdi>${escaped}</bdi>`));
    assert.doesNotMatch(page.text, /<script|<img src=x/);
    assert.match(page.text, /127\.0\.0\.1/);
    assert.match(page.text, /<bdi>ada<\/bdi>/);
    assert.match(page.text, /sent you this page or the code, deny it/);
    assert.match(page.text, /value="deny" autofocus/);
    const answer = await service.call("POST", "/device", {
      cookie,
      form: { user_code: userCode, decision: "approve" },
    });

    assert.equal(answer.status, 200);
    assert.match(answer.text, /Sign-in approved/);
    const token = await service.call("POST", "/api/auth/device/token", {
      urlencoded: {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: deviceCode,
        client_id: "svc-cli",
      },
    });
    assert.equal(token.status, 200);
  });

  it("accept a decision only from their own form, in a session", async () => {
    const { cookie } = await signUp(service, "ada");
    const { userCode } = await startDevice();
    const form = { user_code: userCode, decision: "approve" };

    const anonymous = await service.call("POST", "/device", { form });
    const foreign = await service.call("POST", "/device", {
      cookie,
      form,
      headers: { origin: "https://evil.example" },
    });
    const undecided = await service.call("POST", "/device", { cookie, form: { user_code: userCode } });
    const byGet = await service.call("GET", `/device?user_code=${userCode}&decision=approve`, { cookie });

    assert.equal(anonymous.status, 303);
    assert.equal(foreign.status, 403);
    assert.equal(undecided.status, 400);
    assert.equal(byGet.status, 200);
    const code = await service.storage.deviceCodes.findPending(userCode.replace("-", ""), new Date());
    assert.equal(code?.state, "pending");
  });

  it("deny by form, and don't reveal other codes", async () => {
    const { cookie } = await signUp(service, "ada");
    const { userCode } = await startDevice();

    const denied = await service.call("POST", "/device", {
      cookie,
      form: { user_code: userCode, decision: "deny" },
    });
    const again = await service.call("GET", `/device?user_code=${userCode}`, { cookie });
    const junk = await service.call("GET", `/device?user_code=${encodeURIComponent(hostile)}`, { cookie });

    assert.match(denied.text, /Sign-in denied/);
    assert.equal(again.status, 404);
    assert.equal(junk.status, 404);
    assert.doesNotMatch(junk.text, /<script|<img src=x/);
  });

  it("sign out by form", async () => {
    const { cookie } = await signUp(service, "ada");

    const answer = await service.call("POST", "/sign-out", { cookie, form: { confirm: "yes" } });

    assert.equal(answer.status, 303);
    assert.match(answer.headers.getSetCookie()[0]!, /Max-Age=0/);
    assert.equal(answer.headers.get("clear-site-data"), '"storage"');
    assert.doesNotMatch((await service.call("GET", "/sign-up", { cookie })).text, /Signed in as/);
  });
});
