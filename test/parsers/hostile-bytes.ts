/** Valid bytes with errors in them, and texts that cause excessive backtracking in patterns. */
import { deflateSync } from "node:zlib";
import type { Random } from "../support/random.ts";
import { makeZip } from "../support/zip.ts";

const zip = makeZip([
  { name: "SKILL.md", data: "---\nname: a\ndescription: b\n---\n# A\n" },
  { name: "scripts/run.sh", data: "#!/bin/sh\n", mode: 0o100755 },
  { name: "a/b/c.txt", data: "c".repeat(3000) },
]);
const oid = Buffer.alloc(20, 0xab);
const tree = Buffer.concat(
  ["100644 SKILL.md", "40000 scripts", "120000 link", "160000 module"].flatMap((row) => [
    Buffer.from(`${row}\0`),
    oid,
  ]),
);
const commit = Buffer.from(
  `tree ${"a".repeat(40)}\nparent ${"b".repeat(40)}\nauthor A <a@x> 1700000000 +0000\n` +
    `committer A <a@x> 1700000000 +0000\n\nText\n\nSvc-Skill: x\n`,
);
const packet = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
const packets = Buffer.from(
  `${packet("command=fetch\n")}0001${packet(`want ${"a".repeat(40)}\n`)}${packet("filter blob:none\n")}${packet("done\n")}0000`,
);
const entry = Buffer.concat([Buffer.from([0x35]), deflateSync(Buffer.from("hello"))]);

const saml = "urn:oasis:names:tc:SAML:2.0";
const samlResponse = Buffer.from(
  `<samlp:Response xmlns:samlp="${saml}:protocol" xmlns:saml="${saml}:assertion" ID="_r" Version="2.0" ` +
    `Destination="https://a/acs" InResponseTo="_c"><saml:Issuer>https://b</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="${saml}:status:Success"/></samlp:Status><!-- x -->` +
    `<saml:Assertion ID="_a" Version="2.0"><saml:Issuer>https://b</saml:Issuer><saml:Subject><saml:NameID>a@b.test` +
    `</saml:NameID></saml:Subject></saml:Assertion></samlp:Response>`,
);
const samlMetadata = Buffer.from(
  `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="${saml}:metadata" entityID="https://b"><md:IDPSSODescriptor>` +
    `<md:KeyDescriptor use="signing"><ds:X509Certificate xmlns:ds="http://www.w3.org/2000/09/xmldsig#">AAAA` +
    `</ds:X509Certificate></md:KeyDescriptor><md:SingleSignOnService Location="https://b/sso" ` +
    `Binding="${saml}:bindings:HTTP-Redirect"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
);

export const soundBytes = { zip, tree, commit, packets, entry, samlResponse, samlMetadata };

/** Some bytes changed, inserted, removed or repeated. */
export function damaged(random: Random, sound: Buffer): Buffer {
  let bytes = Buffer.from(sound);
  for (let edits = 1 + random.below(4); edits > 0; edits--) {
    const at = random.below(bytes.length + 1);
    const piece = bytes.subarray(at, at + random.size(200));
    const edit = random.below(5);
    if (edit === 0) bytes = bytes.subarray(0, at);
    else if (edit === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + piece.length)]);
    else if (edit === 2) bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
    else if (edit === 3)
      bytes = Buffer.concat([bytes.subarray(0, at), numbers(random), bytes.subarray(at + 4)]);
    else if (at < bytes.length) bytes[at] = random.below(256);
  }
  return bytes;
}

/** Sizes and offsets that are out of bounds. */
function numbers(random: Random): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(random.pick([0, 1, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]));
  return bytes;
}

const units = [
  " ",
  "\t",
  "\n",
  "\r\n",
  " \n",
  "a",
  "1",
  "-",
  "/",
  ".",
  "\\",
  "a ",
  "a.",
  "../",
  "[](",
  "[[",
  "<!--",
  "```\n",
  "# ",
  "---\n",
  "\ufeff---\n",
  "\u001b[1;",
  "1.",
  "1.0.0-",
  "||",
  " || ",
  ">=1 ",
  "^",
  "~",
  "x.",
  "*",
  "a-",
  "@",
  ":",
  "Svc-A: b\n",
  "<!-- svc:begin a -->\n",
  "<<<<<<< ",
  "İ",
  "e\u0301",
  "\u202e",
  "\ud800",
  "\0",
];

/** A few units repeated many times, between an ordinary beginning and an end that no pattern expects. */
export function hostileText(random: Random, longest: number): string {
  const pieces = [random.pick(["", "a", "1.0.0", "org/skill@", "name: ", "---\n", "# "])];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const unit = random.pick(units);
    pieces.push(unit.repeat(Math.ceil(random.size(longest) / unit.length)));
  }
  return (pieces.join("") + random.pick(["", "x", "\0", "!", "\n"])).slice(0, longest);
}

/** JSON that nests, repeats keys or contains special property names. */
export function hostileJson(random: Random): string {
  const depth = random.size(20_000);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ['{"skills":{"a/b":', "}}"],
    ['{"__proto__":', "}"],
  ]);
  const inner = random.pick(["1", "null", '""', '"1.0.0"', "1e999", "{}", '{"version":"^1"}']);
  const nested = open.repeat(depth) + inner + close.repeat(random.once(4) ? depth - 1 : depth);
  return random.pick([
    nested,
    `{"id":"a","x":${nested}}`,
    `{"skills":{"a/b":"^1"},"x":${nested}}`,
    `{"skills":{"a/b":${nested}}}`,
    `{"lockVersion":1,"skills":{"a/b":${nested}}}`,
    `{"ref":"refs/heads/main","repository":{"id":1,"x":${nested}}}`,
  ]);
}
