/** Statements of versions, and the keys that sign them. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { AttestationsPayload, SigningKeyPayload } from "../../../contract/payloads/skills/provenance.ts";
import type { App } from "../../app.ts";
import { nothingAt } from "../../errors.ts";
import { Enveloped, Reply, routesOf, type Route } from "../../http/route.ts";
import { cacheHeaders, notModified } from "../../http/service/conditional.ts";
import { loadSkill, prefetchSkill } from "../load.ts";
import { VersionParams } from "../schema.ts";
import { readVersionRef, selectVersion } from "../versions/select-version.ts";
import { statementFor } from "./for-reader.ts";
import {
  findPem,
  keysCacheSeconds,
  listKeys,
  listPublicKeys,
  revokeSigningKey,
  rotateSigningKey,
} from "./keys.ts";
import { bundleOf } from "./sign.ts";

const reason = z.string().trim().min(1).max(500);
const KeyReason = z.strictObject({
  reason: reason.meta({ description: "recorded in the log of the service" }),
});
const KeyParams = z.object({
  key: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: "id of a signing key", examples: ["jX5Yk3r1m0v9Qz"] }),
});

export function provenanceRoutes(app: App): Route[] {
  return [attestationsRoute(app), ...administrationRoutes(app)];
}

function attestationsRoute(app: App): Route {
  const route = routesOf({ tag: "Skills", auth: "optional", crossOrigin: "anonymous" });
  return route({
    method: "get",
    path: "/api/skills/:skill/versions/:version/attestations",
    id: "listAttestations",
    summary: "Read the signed statement about the origin of a version, as a Sigstore bundle",
    params: VersionParams,
    data: AttestationsPayload,
    conditional: true,
    prefetch: prefetchSkill(app),
    async handle({ actor, params, prefetched, request }) {
      const skill = await loadSkill(app, actor, params.skill, "skill:read", { prefetched });
      const version = await selectVersion(app, skill, readVersionRef(params.version));
      const found = await statementFor(app, actor, skill, version);
      const attestations = found ? [{ predicateType: found.predicateType, bundle: bundleOf(found) }] : [];
      const etag = createHash("sha256")
        .update(found?.signature ?? "")
        .digest("hex")
        .slice(0, 32);
      const headers = cacheHeaders(etag, { fixed: false, shared: false });
      return notModified(request, headers) ?? new Enveloped({ attestations }, { headers });
    },
  });
}

/** Documents with the public keys. */
export function keyDocumentRoutes(app: App): Route[] {
  const route = routesOf({ method: "get", tag: "Skills", auth: "none", crossOrigin: "always" });
  const headers = { "cache-control": `public, max-age=${keysCacheSeconds}, stale-if-error=86400` };
  return [
    route({
      path: "/.well-known/svc/keys.json",
      summary: "Public keys that sign statements about versions, previous ones included",
      handle: async () =>
        new Reply(JSON.stringify({ keys: await listPublicKeys(app) }), { type: "application/json", headers }),
    }),
    route({
      path: "/.well-known/svc/keys/:key",
      summary: "A public key in PEM, at its id followed by .pem",
      params: KeyParams,
      async handle({ params, request }) {
        const pem = params.key.endsWith(".pem") ? await findPem(app, params.key.slice(0, -4)) : undefined;
        if (pem === undefined) throw nothingAt(request.path);
        return new Reply(pem, { type: "application/x-pem-file", headers });
      },
    }),
  ];
}

function administrationRoutes(app: App): Route[] {
  const route = routesOf({ tag: "Administration", auth: "administrator" });
  const SigningKeys = z.array(SigningKeyPayload).max(500).meta({ description: "the newest first" });
  return [
    route({
      method: "get",
      path: "/api/admin/signing-keys",
      id: "listSigningKeys",
      summary: "List the keys that sign statements about versions, the newest first",
      data: SigningKeys,
      handle: () => listKeys(app),
    }),
    route({
      method: "post",
      path: "/api/admin/signing-keys/rotate",
      id: "rotateSigningKey",
      failures: ["conflict"],
      summary: "Make a new key, which signs in place of the current one from a few minutes on",
      body: KeyReason,
      data: SigningKeys,
      handle: ({ actor, body }) => rotateSigningKey(app, actor, body.reason),
    }),
    route({
      method: "post",
      path: "/api/admin/signing-keys/:key/revoke",
      id: "revokeSigningKey",
      failures: ["conflict"],
      summary: "Declare everything that a key has signed invalid; another one signs it again",
      params: KeyParams,
      body: KeyReason,
      data: SigningKeys,
      handle: ({ actor, params, body }) => revokeSigningKey(app, actor, params.key, body.reason),
    }),
  ];
}
