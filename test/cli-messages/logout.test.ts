/** Tokens that `svc logout` revokes, and the remedy where a login is too old for a new token. */
import assert from "node:assert/strict";
import { type TestContext, describe, it } from "node:test";
import { answer, startServer, svc, temporaryFolder } from "../cli/harness.ts";

const token = `lsk_${"cd".repeat(32)}`;
const user = {
  username: "ann",
  name: "Ann",
  email: "a@example.com",
  memberships: [],
  pendingInvitations: [],
};

/** A home, and a service that approves each login, refuses a new token, and records what is revoked. */
async function setUp(t: TestContext) {
  const home = await temporaryFolder(t);
  const revoked: (string | undefined)[] = [];
  const code = {
    device_code: "d",
    user_code: "ABCD-EFGH",
    verification_uri: "http://127.0.0.1/device",
    expires_in: 600,
    interval: 1,
  };
  const apiUrl = await startServer(t, (request, response, { pathname }) => {
    if (pathname.endsWith("/device/code")) return answer(response, 200, code);
    if (pathname.endsWith("/device/token"))
      return answer(response, 200, { access_token: token, token_type: "Bearer" });
    if (request.method === "DELETE") revoked.push(`${pathname} ${request.headers.authorization}`);
    if (request.method === "POST" && pathname === "/api/user/tokens")
      return answer(response, 403, {
        success: false,
        error: "Confirm your password to create an API token: POST /api/auth/reauthenticate.",
        code: "reauthentication_required",
        details: { proof: "password" },
        requestId: "r",
      });
    return answer(response, 200, { success: true, data: user });
  });
  const run = (...argv: string[]) => svc(argv, { home, env: { SVC_API_URL: apiUrl } });
  return { run, revoked };
}

describe("svc logout", () => {
  it("revokes the token of a login in the browser, and says so", async (t) => {
    const { run, revoked } = await setUp(t);
    const login = await run("login");
    assert.equal(login.code, 0, login.stderr);

    const done = await run("logout");

    assert.deepEqual([done.code, done.stdout], [0, "Logged out, and revoked the token of this login.\n"]);
    assert.deepEqual(revoked, [`/api/user/tokens/current Bearer ${token}`]);
  });

  it("does not revoke a token that login --token stored, also after a login in the browser", async (t) => {
    const { run, revoked } = await setUp(t);
    await run("login");
    await run("login", "--token", token);

    const done = await run("logout");
    const again = await run("logout");

    assert.match(done.stdout, /^Logged out on this machine\. The token stays valid on the service/);
    assert.equal(again.stdout, "You were not logged in.\n");
    assert.deepEqual(revoked, []);
  });
});

describe("svc token create long after the login", () => {
  it("says svc login, and not a route of the API", async (t) => {
    const { run } = await setUp(t);
    await run("login", "--token", token);

    const { error } = await run("token", "create", "ci", "-o", "json");

    assert.equal(
      error.message,
      "Creating a token requires a recent sign-in. Sign out and in again in the browser, run svc login, and create " +
        "the token within ten minutes.",
    );
    assert.equal(error.details?.["proof"], "password");
  });
});
