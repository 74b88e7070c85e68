/**
 * Signs statements about versions. It never delays or fails a publish: a version without a statement, or with one by a
 * key that was revoked, gets one from the reconcile job.
 */
import { sign, type KeyObject } from "node:crypto";
import type { AttestationsPayload } from "../../../contract/payloads/skills/provenance.ts";
import { bundleType, payloadType, signedBytes } from "../../../contract/provenance/statement.ts";
import type { AttestationDoc } from "../../../storage/provenance/attestations.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { signerAt } from "./keys.ts";
import { statementOf, type SubjectSkill } from "./statement.ts";

/** Signs the versions that a skill has not copied to the collection yet. */
export async function signPending(
  app: App,
  skills: readonly (SubjectSkill & { pending: readonly VersionDoc[] })[],
): Promise<void> {
  const pending = skills.flatMap((skill) => skill.pending.map((version) => ({ skill, version })));
  if (pending.length === 0) return;
  try {
    await app.storage.attestations.record(await signAll(app, pending));
  } catch (error) {
    app.log.error({ error }, "versions could not be signed: the reconcile job signs them");
  }
}

/** Empty if no key is valid now. */
export async function signAll(
  app: App,
  versions: readonly { skill: SubjectSkill; version: VersionDoc }[],
): Promise<AttestationDoc[]> {
  const signedAt = app.now();
  const signer = await signerAt(app, signedAt);
  if (!signer) {
    app.log.warn({ signedAt }, "no signing key is valid at this time: check the clock of this machine");
    return [];
  }
  return versions.map(({ skill, version }) => {
    const statement = statementOf(app.config.baseUrl, skill, version, signedAt);
    const payload = JSON.stringify(statement);
    return {
      _id: version._id,
      tenantId: version.tenantId,
      skillId: version.skillId,
      keyId: signer.id,
      predicateType: statement.predicateType,
      payload,
      signature: signatureOf(payload, signer.privateKey),
      signedAt,
    };
  });
}

const signatureOf = (payload: string, key: KeyObject) =>
  sign("sha256", signedBytes(Buffer.from(payload)), key).toString("base64");

/** A Sigstore bundle. `cosign` and others refuse fields that they don't know. */
export function bundleOf({ keyId, payload, signature }: AttestationDoc): Bundle {
  return {
    mediaType: bundleType,
    verificationMaterial: {
      publicKey: { hint: Buffer.from(keyId, "base64url").toString("base64") },
      tlogEntries: [],
      timestampVerificationData: { rfc3161Timestamps: [] },
    },
    dsseEnvelope: {
      payload: Buffer.from(payload).toString("base64"),
      payloadType,
      signatures: [{ sig: signature, keyid: "" }],
    },
  };
}

type Bundle = AttestationsPayload["attestations"][0]["bundle"];
