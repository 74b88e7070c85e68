/** A CI provider on this machine: discovery, key set and identity tokens, as GitHub Actions and GitLab issue them. */
import { randomUUID, type JsonWebKey } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import type { CiProvider } from "../../../contract/vocabulary.ts";

type Claims = Record<string, unknown>;

export interface CiIssuer {
  url: string;
  provider: CiProvider;
  /** Paths that were requested. */
  requests: string[];
  /** Answers requests in place of the issuer; returns false for those that it leaves to it. */
  fault?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The key set, which a test may change. */
  jwks: { keys: JsonWebKey[] };
  discovery: Claims;
  /** Claims of a run on the branch `main` of `acme/skills`, with the given ones in their place; undefined omits one. */
  claims(audience: string, changes?: Claims): Claims;
  /** A signed token with these claims. */
  mint(audience: string, changes?: Claims, header?: Claims): Promise<string>;
  /** Variables of a job of GitHub Actions, which requests its token here. */
  jobEnvironment(): Record<string, string>;
  /** Replaces the key by a new one. */
  rotate(): Promise<void>;
  /** The public key in PEM. */
  publicKey(): Promise<string>;
  close(): Promise<void>;
}

export async function startCiIssuer(provider: CiProvider): Promise<CiIssuer> {
  let keys = await generateKeyPair("RS256", { extractable: true });
  let kid = randomUUID();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    issuer.requests.push(path);
    if (issuer.fault?.(request, response)) return;
    if (path.startsWith(jobPath)) {
      void answerJob(issuer, request, response);
      return;
    }
    const document = path === keysPath ? issuer.jwks : path === discoveryPath ? issuer.discovery : undefined;
    response.writeHead(document ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const publicJwk = async () => ({ ...(await exportJWK(keys.publicKey)), kid, use: "sig", alg: "RS256" });

  const issuer: CiIssuer = {
    url,
    provider,
    requests: [],
    jwks: { keys: [await publicJwk()] },
    discovery: { issuer: url, jwks_uri: `${url}${keysPath}`, response_types_supported: ["id_token"] },
    claims(audience, changes = {}) {
      const now = Math.floor(Date.now() / 1000);
      const common = { iss: url, aud: audience, jti: randomUUID(), iat: now, nbf: now, exp: now + 300 };
      const ofProvider = provider === "github" ? gitHubClaims : gitLabClaims;
      return Object.fromEntries(
        Object.entries({ ...common, ...ofProvider(changes), ...changes }).filter(
          ([, value]) => value !== undefined,
        ),
      );
    },
    mint: (audience, changes, header) =>
      new SignJWT(issuer.claims(audience, changes))
        .setProtectedHeader({ alg: "RS256", kid, typ: "JWT", ...header })
        .sign(keys.privateKey),
    jobEnvironment: () => ({
      GITHUB_ACTIONS: "true",
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}${jobPath}?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: jobSecret,
    }),
    async rotate() {
      keys = await generateKeyPair("RS256", { extractable: true });
      kid = randomUUID();
      issuer.jwks = { keys: [await publicJwk()] };
    },
    publicKey: () => exportSPKI(keys.publicKey),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}

const discoveryPath = "/.well-known/openid-configuration";
const keysPath = "/keys";
const jobPath = "/job/token";
const jobSecret = "runner-secret";

/** The request of a job for its token, as the runner of GitHub answers it. */
async function answerJob(
  issuer: CiIssuer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const audience = new URL(request.url ?? "", issuer.url).searchParams.get("audience") ?? "none";
  const isAllowed = request.headers.authorization === `Bearer ${jobSecret}`;
  response.writeHead(isAllowed ? 200 : 401, { "content-type": "application/json" });
  response.end(JSON.stringify(isAllowed ? { value: await issuer.mint(audience), count: 1 } : {}));
}

const gitHubClaims = ({ repository = "acme/skills", ref = "refs/heads/main" }: Claims) => ({
  sub: "repo:acme@1001/skills@2002:ref:refs/heads/main",
  repository: "acme/skills",
  repository_id: "2002",
  repository_owner: "acme",
  repository_owner_id: "1001",
  repository_visibility: "private",
  ref: "refs/heads/main",
  ref_type: "branch",
  ref_protected: "true",
  event_name: "push",
  sha: "0123456789abcdef0123456789abcdef01234567",
  workflow: "Publish",
  workflow_ref: `${text(repository)}/.github/workflows/publish.yml@${text(ref)}`,
  job_workflow_ref: `${text(repository)}/.github/workflows/publish.yml@${text(ref)}`,
  run_id: "77",
  run_attempt: "1",
  actor: "ada",
});

const gitLabClaims = ({
  project_path: project = "acme/tools/skills",
  ref_path: ref = "refs/heads/main",
}: Claims) => ({
  sub: "project_path:acme/tools/skills:ref_type:branch:ref:main",
  namespace_id: "3003",
  namespace_path: "acme/tools",
  project_id: "4004",
  project_path: "acme/tools/skills",
  user_login: "ada",
  pipeline_id: "88",
  pipeline_source: "push",
  job_id: "99",
  ref: "main",
  ref_type: "branch",
  ref_path: "refs/heads/main",
  ref_protected: "true",
  sha: "89abcdef0123456789abcdef0123456789abcdef",
  ci_config_ref_uri: `gitlab.example.com/${text(project)}//.gitlab-ci.yml@${text(ref)}`,
});

const text = (claim: unknown) => (typeof claim === "string" ? claim : "");
