/**
 * A passkey authenticator in software (Web Authentication Level 3, sections 6.1 and 6.5), with which tests choose what
 * a real one would not do: counters that go back, challenges of others, a user that was not verified.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

type Encodable = number | string | Buffer | Map<number | string, Encodable>;

/** The part of CBOR (RFC 8949) that attestations use. Lengths are below 65,536. */
function cbor(value: Encodable): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, one]) => [cbor(key), cbor(one)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument]);
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255]);
}

export interface Ceremony {
  /** From the options of the service. */
  challenge: string;
  origin: string;
  counter?: number;
  isUserVerified?: boolean;
  rpId?: string;
  userHandle?: string;
}

export interface SoftwarePasskey {
  id: string;
  /** The answer of `navigator.credentials.create`, as JSON. */
  create(ceremony: Ceremony): object;
  /** The answer of `navigator.credentials.get`, as JSON. */
  get(ceremony: Ceremony): object;
}

export function newPasskey(): SoftwarePasskey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const rawId = randomBytes(32);
  const id = rawId.toString("base64url");
  // Not as a JWK, whose export hangs in Node.js 20 if garbage is collected during it.
  const point = publicKey.export({ format: "der", type: "spki" }).subarray(-64);
  const coseKey = cbor(
    new Map<number, Encodable>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, point.subarray(0, 32)],
      [-3, point.subarray(32)],
    ]),
  );
  const envelope = (response: object) => ({
    id,
    rawId: id,
    type: "public-key",
    response,
    clientExtensionResults: {},
  });
  return {
    id,
    create(ceremony) {
      const idLength = Buffer.from([0, rawId.length]);
      const credential = Buffer.concat([Buffer.alloc(16), idLength, rawId, coseKey]);
      const authData = Buffer.concat([authenticatorData(ceremony, 0x40), credential]);
      const attestation = new Map<string, Encodable>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData],
      ]);
      return envelope({
        clientDataJSON: clientData("webauthn.create", ceremony).toString("base64url"),
        attestationObject: cbor(attestation).toString("base64url"),
        transports: ["internal"],
      });
    },
    get(ceremony) {
      const data = authenticatorData(ceremony, 0);
      const client = clientData("webauthn.get", ceremony);
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      return envelope({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: sign("sha256", signed, privateKey).toString("base64url"),
        userHandle: ceremony.userHandle,
      });
    },
  };
}

function clientData(type: string, { challenge, origin }: Ceremony): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** Flags: the user is present (0x01) and, unless the test says otherwise, verified (0x04). */
function authenticatorData(ceremony: Ceremony, moreFlags: number): Buffer {
  const { rpId = new URL(ceremony.origin).hostname, isUserVerified = true, counter = 0 } = ceremony;
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const flags = Buffer.from([0x01 | (isUserVerified ? 0x04 : 0) | moreFlags]);
  return Buffer.concat([createHash("sha256").update(rpId).digest(), flags, count]);
}
