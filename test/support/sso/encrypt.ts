/** Encryption of the assertion in a response (XML Encryption 1.1), independently of the library that decrypts it. */
import {
  constants,
  createCipheriv,
  publicEncrypt,
  randomBytes,
  X509Certificate,
  type CipherGCMTypes,
} from "node:crypto";

const enc = "http://www.w3.org/2001/04/xmlenc#";
const enc11 = "http://www.w3.org/2009/xmlenc11#";

export interface Encrypting {
  /** Base64 of the DER of the certificate whose key is used. */
  certificate: string;
  bits?: 128 | 192 | 256;
  isCbc?: boolean;
  /** Algorithm of the content, as written. */
  content?: string;
  keyMethod?: "mgf1p" | "oaep-sha1" | "oaep-sha256" | "rsa-1_5";
  /** Where the encrypted key is: in the KeyInfo, or next to the data, with or without a reference to it. */
  keyIs?: "inside" | "referenced" | "beside";
  /** Changes the octets of the ciphertext. */
  tamper?: (content: Buffer) => Buffer;
  /** Changes what is encrypted. */
  plain?: (assertion: string) => string;
}

const digest = (algorithm: string) =>
  `<ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Algorithm="${algorithm}"/>`;
const keyMethods = {
  mgf1p: [`${enc}rsa-oaep-mgf1p`, digest("http://www.w3.org/2000/09/xmldsig#sha1"), "sha1"],
  "oaep-sha1": [`${enc11}rsa-oaep`, "", "sha1"],
  "oaep-sha256": [
    `${enc11}rsa-oaep`,
    `${digest(`${enc}sha256`)}<xenc11:MGF xmlns:xenc11="${enc11}" Algorithm="${enc11}mgf1sha256"/>`,
    "sha256",
  ],
  "rsa-1_5": [`${enc}rsa-1_5`, "", undefined],
} as const;

function encryptContent(text: string, key: Buffer, isCbc: boolean): Buffer {
  const bits = key.length * 8;
  if (!isCbc) {
    const iv = randomBytes(12);
    const cipher = createCipheriv(`aes-${bits}-gcm` as CipherGCMTypes, key, iv);
    return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  }
  const iv = randomBytes(16);
  const cipher = createCipheriv(`aes-${bits}-cbc`, key, iv);
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final()]);
}

function encrypted(assertion: string, options: Encrypting): string {
  const {
    bits = 256,
    isCbc = false,
    keyMethod = "mgf1p",
    keyIs = "inside",
    tamper = (all: Buffer) => all,
  } = options;
  const key = randomBytes(bits / 8);
  const content = tamper(encryptContent((options.plain ?? String)(assertion), key, isCbc));
  const method = options.content ?? (isCbc ? `${enc}aes${bits}-cbc` : `${enc11}aes${bits}-gcm`);
  const [keyAlgorithm, parameters, oaepHash] = keyMethods[keyMethod];
  const { publicKey } = new X509Certificate(Buffer.from(options.certificate, "base64"));
  const padding = oaepHash === undefined ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_OAEP_PADDING;
  const wrapped = publicEncrypt({ key: publicKey, padding, oaepHash }, key);
  const value = (bytes: Buffer) =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString("base64").replace(/.{76}/g, "$&\n")}</xenc:CipherValue></xenc:CipherData>`;
  const encryptedKey =
    `<xenc:EncryptedKey Id="_key"><xenc:EncryptionMethod Algorithm="${keyAlgorithm}">${parameters}</xenc:EncryptionMethod>` +
    `${value(wrapped)}</xenc:EncryptedKey>`;
  const keyInfo = {
    inside: encryptedKey,
    referenced: `<ds:RetrievalMethod Type="${enc}EncryptedKey" URI="#_key"/>`,
    beside: "<ds:KeyName>x</ds:KeyName>",
  }[keyIs];
  return (
    `<saml:EncryptedAssertion xmlns:xenc="${enc}"><xenc:EncryptedData Type="${enc}Element">` +
    `<xenc:EncryptionMethod Algorithm="${method}"/><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${keyInfo}</ds:KeyInfo>` +
    `${value(content)}</xenc:EncryptedData>${keyIs === "inside" ? "" : encryptedKey}</saml:EncryptedAssertion>`
  );
}

/** Encrypts the assertion of a response. */
export const encryptAssertion = (options: Encrypting) => (xml: string) =>
  xml.replace(/<saml:Assertion .*<\/saml:Assertion>/s, (assertion) => encrypted(assertion, options));
