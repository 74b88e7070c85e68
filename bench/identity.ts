/**
 * Times of identity: the exchange of a pipeline's identity token for an API token, with the issuer's keys in memory.
 *
 * `npm run bench -- identity [--turns=200]`
 */
import { startCiIssuer } from "../test/support/ci/issuer.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { median, percentile, reportRows, row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp } from "./http/client.ts";

const { turns, warmUp } = readOptions("identity", {});
const team = "bench-org";

const dataDir = temporaryFolder("bench-identity");
const issuer = await startCiIssuer("github");
const server = await startServer({
  dataDir,
  env: {
    LOG_LEVEL: "warn",
    RATE_LIMITS: "false",
    OIDC_GITHUB_ISSUERS: issuer.url,
    OIDC_PRIVATE_NETWORK: "true",
  },
});
try {
  const owner = await signUp(server);
  await owner.send("POST", "/api/tenants", { name: "Bench", slug: team });
  await owner.send("POST", `/api/tenants/${team}/oidc-policies`, {
    name: "Main",
    provider: "github",
    repository: "acme/skills",
    ref: "refs/heads/main",
    scopes: { skill: ["read"] },
  });
  const times: number[] = [];
  for (let turn = -warmUp; turn < turns; turn++) {
    const body = JSON.stringify({ token: await issuer.mint(server.url), team });
    const started = performance.now();
    const response = await fetch(`${server.url}/api/auth/oidc/exchange`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The exchange failed: ${answer}`);
    if (turn >= 0) times.push(performance.now() - started);
  }
  const note = `median ${median(times).toFixed(1)} ms of ${turns} exchanges; ${issuer.requests.length} requests to the issuer`;
  const rows = [row("exchange of an identity token, p95", percentile(times, 0.95), "ms", { most: 40 }, note)];
  reportRows(rows);
} finally {
  await server.stop();
  await issuer.close();
  removeFolder(dataDir);
}
