/**
 * Self-signed certificates, built from their parts (X.690, RFC 5280), so that a test chooses the end of their validity.
 */
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";

export interface TestCertificate {
  privateKey: string;
  /** PEM. */
  pem: string;
  /** Base64 of the DER. */
  der: string;
}

const part = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const size = body.length;
  const head = size < 128 ? [tag, size] : size < 256 ? [tag, 0x81, size] : [tag, 0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from(head), body]);
};
const sequence = (...content: Buffer[]) => part(0x30, ...content);
const sha256WithRsa = sequence(part(0x06, Buffer.from("2a864886f70d01010b", "hex")), part(0x05));

function utcTime(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  return part(0x18, Buffer.from(text));
}

function nameOf(commonName: string): Buffer {
  const attribute = sequence(part(0x06, Buffer.from("550403", "hex")), part(0x0c, Buffer.from(commonName)));
  return sequence(part(0x31, attribute));
}

let keys: { publicKey: KeyObject; privateKey: KeyObject }[] = [];

/** Key pairs are made once per process: number 0 is that of the provider, others are those of strangers. */
function keyPair(number: number) {
  return (keys[number] ??= generateKeyPairSync("rsa", { modulusLength: 2048 }));
}

export function makeCertificate(
  options: { key?: number; notAfter?: Date; commonName?: string } = {},
): TestCertificate {
  const { publicKey, privateKey } = keyPair(options.key ?? 0);
  const name = nameOf(options.commonName ?? "idp.example.com");
  const validity = sequence(
    utcTime(new Date(Date.now() - 86_400_000)),
    utcTime(options.notAfter ?? new Date(Date.now() + 365 * 86_400_000)),
  );
  const body = sequence(
    part(0xa0, part(0x02, Buffer.from([2]))),
    part(0x02, Buffer.from([1, (options.notAfter?.getTime() ?? 0) % 100])),
    sha256WithRsa,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = createSign("sha256").update(body).sign(privateKey);
  const der = sequence(body, sha256WithRsa, part(0x03, Buffer.from([0]), signature)).toString("base64");
  return {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    pem: `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, "$&\n").trim()}\n-----END CERTIFICATE-----\n`,
    der,
  };
}
