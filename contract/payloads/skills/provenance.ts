/** Signed statements about versions, and the keys that sign them, as they cross the wire. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";

const none = z
  .array(z.unknown())
  .max(0)
  .meta({ description: "none", examples: [[]] });
const base64 = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });

const Bundle = z
  .object({
    mediaType: z.string().meta({
      description: "form of the bundle",
      examples: ["application/vnd.dev.sigstore.bundle.v0.3+json"],
    }),
    verificationMaterial: z
      .object({
        publicKey: z
          .object({
            hint: base64("SHA-256 of the public key", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0="),
          })
          .meta({ description: "the key of the service that signed it" }),
        tlogEntries: none,
        timestampVerificationData: z
          .object({ rfc3161Timestamps: none })
          .meta({ description: "no timestamps of others" }),
      })
      .meta({ description: "what a verifier needs" }),
    dsseEnvelope: z
      .object({
        payload: base64("the statement (in-toto v1)", "eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pbyJ9"),
        payloadType: z.string().meta({
          description: "media type of the payload",
          examples: ["application/vnd.in-toto+json"],
        }),
        signatures: z
          .array(
            z.object({
              sig: base64("the signature in DER", "MEUCIQDx9ZmVyeWZha2U="),
              keyid: z.string().meta({ description: "empty: the hint names the key", examples: [""] }),
            }),
          )
          .length(1)
          .meta({ description: "one" }),
      })
      .meta({ description: "the statement in a DSSE envelope" }),
  })
  .meta({ description: "Sigstore bundle v0.3" });

export const AttestationsPayload = z
  .object({
    attestations: z
      .array(
        z.object({
          predicateType: z.string().meta({
            description: "kind of the statement",
            examples: ["https://slsa.dev/provenance/v1"],
          }),
          bundle: Bundle,
        }),
      )
      .max(1)
      .meta({ description: "empty while the version has no statement" }),
  })
  .meta({ id: "Attestations" });
export type AttestationsPayload = z.infer<typeof AttestationsPayload>;

export const signingKeyStates = ["pending", "active", "retired", "revoked"] as const;

export const SigningKeyPayload = z
  .object({
    id: z.string(),
    state: z.enum(signingKeyStates).meta({
      description:
        "pending: it signs soon; retired: its statements stay valid; revoked: none of them is valid",
    }),
    notBefore: timestamp,
    notAfter: timestamp.nullable().meta({ description: "end of the time in which it signs" }),
    revokedAt: timestamp.nullable().meta({ description: "from when on nothing that it signed is valid" }),
    createdAt: timestamp,
  })
  .meta({ id: "SigningKey" });
export type SigningKeyPayload = z.infer<typeof SigningKeyPayload>;

/** A key of `/.well-known/svc/keys.json` (JSON Web Key Set). */
export interface PublicKey {
  kty: string;
  crv: string;
  x: string;
  y: string;
  kid: string;
  use: "sig";
  alg: "ES256";
  "svc:state": (typeof signingKeyStates)[number];
  "svc:notBefore": string;
  "svc:notAfter": string | null;
}
