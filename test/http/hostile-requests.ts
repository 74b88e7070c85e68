/** Hostile requests to declared routes: some parts of each are valid, so that the later checks are reached. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { z } from "zod";
import type { Route } from "../../src/http/route.ts";
import { hostileYaml } from "../support/hostile-yaml.ts";
import type { Random } from "../support/random.ts";

export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** Existing ids by the names of path parameters, and the callers. */
export interface Targets {
  ids: Record<string, readonly string[]>;
  tokens: readonly string[];
  cookies: readonly string[];
}

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
}

const oddTexts = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "x\udc00y",
  "\u2028",
  "\ufeff",
  "\u202e",
  "a\r\nSet-Cookie: x=y",
  "../../etc/passwd",
  "..",
  "%00",
  "%2e%2e%2f",
  "__proto__",
  "constructor",
  "$where",
  "a.b.$c",
  "' || 1==1 //",
  "<script>alert(1)</script>",
  "1e400",
  "9".repeat(400),
  "a".repeat(5000),
  "(a+)+$",
  "^".repeat(200),
  "1 || ".repeat(50) + "1",
  ">=1.0.0 ".repeat(30),
  "😀".repeat(300),
  "İ".repeat(100),
  "git@host:x/y",
  "http://127.0.0.1:1/x",
  "http://[::1]/x",
  "file:///etc/passwd",
  "/".repeat(3000),
  "-".repeat(3000),
  "a@".repeat(100) + "b.co",
  "1.2.3",
  "^1.0.0",
  "latest",
  "2020-01-01T00:00:00.000Z",
  "a@b.co",
];
const oddValues: readonly unknown[] = [
  null,
  true,
  [],
  {},
  -0,
  -1,
  0.5,
  2 ** 53,
  1e308,
  { $ne: null },
  { $gt: "" },
  [[]],
  [null],
  { toString: 1, valueOf: 1 },
  { length: 1e9 },
  { "a.b": 1, $c: 2 },
];
const contentTypes = [
  "application/json",
  "application/json; charset=utf-16",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "multipart/form-data; boundary=" + "-".repeat(300),
  "text/plain",
  "application/octet-stream",
  "application/scim+json",
  "application/x-git-upload-pack-request",
  "application/zip",
  "",
  "a/b/c; ;;",
];

export function hostileRequest(random: Random, routes: readonly Route[], targets: Targets): HostileRequest {
  const route = random.pick(routes);
  const odd = random.once(25);
  const body =
    ["get", "delete"].includes(route.method) && !random.once(10)
      ? undefined
      : bodyFor(random, route, targets);
  return {
    method: odd
      ? random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
      : route.method.toUpperCase(),
    path: pathFor(random, route, targets),
    headers: { ...headersFor(random, targets), ...body?.headers },
    body: body?.bytes,
  };
}

function pathFor(random: Random, route: Route, targets: Targets): string {
  const path = route.path.replace(/[:*](\w+)/g, (_, name: string) => {
    const known = targets.ids[name] ?? Object.values(targets.ids).flat();
    return encoded(random, random.once(3) ? random.pick(oddTexts) : random.pick(known));
  });
  const query = route.query ? like(random, schemaOf(route.query), targets) : {};
  const pairs = Object.entries(isRecord(query) ? query : { odd: query }).map(([name, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return `${encoded(random, name)}=${encoded(random, text)}`;
  });
  if (random.once(12))
    pairs.push(random.pick(["limit=1&limit=2", "a[b]=1", "%", "=", "&&&", "cursor=e30", "x".repeat(3000)]));
  return `${path}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
}

/** Percent-encoded, and occasionally incorrectly so; what a request line can't contain is omitted. */
function encoded(random: Random, text: string): string {
  if (random.once(20)) return text.replace(/[^\x21-\x7e]|[?#]/g, "") || "%";
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd")) || "%20";
}

function headersFor(random: Random, { tokens, cookies }: Targets): Record<string, string> {
  const headers: Record<string, string> = {};
  const who = random.below(10);
  if (who < 6) headers["authorization"] = `Bearer ${random.pick(tokens)}`;
  else if (who === 6) headers["cookie"] = random.pick(cookies);
  else if (who === 7)
    headers["authorization"] = random.pick([
      "Bearer",
      "Bearer lsk_0",
      "Basic Og==",
      `Basic ${"x".repeat(4000)}`,
      "Digest a=b",
      `Bearer ${"lsk_".repeat(800)}`,
    ]);
  else if (who === 8)
    headers["cookie"] = random.pick([
      "svc_session=",
      "; ; ;=;",
      `svc_session=${"a.".repeat(2000)}`,
      "a=b; ".repeat(700),
      '__proto__="x"',
    ]);
  const odd: Record<string, readonly string[]> = {
    accept: ["*/*", "text/html", "a/b;q=".repeat(500), ",".repeat(3000), "application/json;q=1e9"],
    "accept-encoding": ["gzip", "br;q=NaN, gzip;q=-1", ",".repeat(3000), "identity;q=0, *;q=0"],
    "accept-language": ["x".repeat(4000), "de-".repeat(1000)],
    "if-none-match": ["*", '"x"', `W/${'"a",'.repeat(900)}`, '"'],
    range: ["bytes=0-1", "bytes=9-1", `bytes=${"0-1,".repeat(900)}`, "bytes=-99999999999999999999"],
    "user-agent": ["\u00ff".repeat(1000), "(".repeat(3000), "Mozilla/5.0 ".repeat(300)],
    "x-forwarded-for": ["1.2.3.4", "::1, ".repeat(900), "\u00e9"],
    "x-request-id": ["trace-0042", "a b", "x".repeat(5000)],
    "idempotency-key": ["same", "x".repeat(5000), "\u00e9", " "],
    "git-protocol": ["version=2", "version=9", "version=2:".repeat(900)],
    origin: ["null", "https://evil.example", "http://127.0.0.1"],
    host: ["evil.example", "a:99999", "[::1"],
    "content-encoding": ["gzip", "deflate", "zstd"],
    expect: ["100-continue"],
    "x-svc-key": ["x", "A".repeat(43)],
    "x-svc-signature": ["x", "A".repeat(86)],
    "x-svc-timestamp": ["1", "NaN", "9".repeat(300), "2026-11-22T00:00:00Z"],
    "x-svc-nonce": ["x", "A".repeat(32)],
    "x-hub-signature-256": [`sha256=${"0".repeat(64)}`, "sha256=", "sha1=0"],
    "x-github-delivery": ["a-b", "\u00e9", ""],
    "x-github-event": ["push", "ping", "__proto__"],
    "last-event-id": ["1", "x".repeat(2000)],
  };
  for (let more = random.below(4); more > 0; more--) {
    const name = random.pick(Object.keys(odd));
    headers[name] = random.pick(odd[name]!);
  }
  if (headers["cookie"] !== undefined && random.once(2)) delete headers["origin"];
  return headers;
}

interface Body {
  bytes: Buffer;
  headers: Record<string, string>;
}

function bodyFor(random: Random, route: Route, targets: Targets): Body {
  const json = { "content-type": "application/json" };
  const good = () => JSON.stringify(route.body ? like(random, schemaOf(route.body), targets) : {}) ?? "";
  if (random.once(60)) return { bytes: Buffer.from(`{"a":"${"x".repeat(1_100_000)}"}`), headers: json };
  switch (random.below(route.body ? 16 : 24)) {
    case 0:
      return { bytes: Buffer.from(nestedJson(random)), headers: json };
    case 1:
      return { bytes: Buffer.from(oddJson(random, good())), headers: json };
    case 2:
      return { bytes: randomBytes(random), headers: { "content-type": random.pick(contentTypes) } };
    case 3:
      return compressed(random, good());
    case 4: {
      const form = new URLSearchParams({ odd: random.pick(oddTexts), a: "b" });
      return {
        bytes: Buffer.from(form.toString()),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      };
    }
    case 5:
      return multipart(random);
    case 6:
      return { bytes: Buffer.from(good()), headers: { "content-type": random.pick(contentTypes) } };
    case 17:
    case 18:
      return {
        bytes: Buffer.from(gitRequest(random)),
        headers: { "content-type": "application/x-git-upload-pack-request" },
      };
    default:
      return { bytes: Buffer.from(good()), headers: json };
  }
}

function nestedJson(random: Random): string {
  const depth = random.size(60_000);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ['{"content":[', "]}"],
    ['[{"__proto__":', "}]"],
  ]);
  return open.repeat(depth) + (random.once(2) ? `1${close.repeat(depth)}` : "");
}

function oddJson(random: Random, good: string): string {
  const at = random.below(good.length + 1);
  const insert = random.pick([
    '"__proto__":{"isAdministrator":true},',
    '"constructor":{"prototype":{}},',
    "\0",
    "\\ud800",
    '"\\ud800"',
    "1e99999",
    "-0.0000000001e-400",
    "\ufeff",
    "9".repeat(3000),
    '"a":1,"a":2,',
    " ".repeat(20_000),
    "NaN",
    "[[[",
    "/* */",
  ]);
  return good.slice(0, at) + insert + good.slice(at);
}

function randomBytes(random: Random): Buffer {
  const bytes = Buffer.alloc(random.size(20_000));
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(256);
  return bytes;
}

const bomb = gzipSync(Buffer.alloc(30_000_000));

function compressed(random: Random, good: string): Body {
  const encoding = random.pick(["gzip", "br", "gzip, gzip", "x-gzip"]);
  const bytes = random.once(2) ? bomb : encoding === "br" ? brotliCompressSync(good) : gzipSync(good);
  return { bytes, headers: { "content-type": random.pick(contentTypes), "content-encoding": encoding } };
}

function multipart(random: Random): Body {
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const text = random.pick([
    part("__proto__", "x") + "--x--\r\n",
    part("email", random.pick(oddTexts)).repeat(random.size(60)) + "--x--",
    '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nx\r\n--x--',
    "--x\r\n" + "A: b\r\n".repeat(2000) + "\r\n",
    "--x\r\nContent-Disposition: form-data; name*=utf-8''%ff\r\n\r\n--x--",
    "--x",
    "",
  ]);
  return { bytes: Buffer.from(text), headers: { "content-type": "multipart/form-data; boundary=x" } };
}

function gitRequest(random: Random): string {
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
  const parts = [
    line("command=fetch\n"),
    line("command=ls-refs\n"),
    "0001",
    line(`want ${"a".repeat(40)}\n`),
    line(`have ${"b".repeat(40)}\n`).repeat(50),
    line("filter sparse:oid=HEAD\n"),
    line("filter blob:none\n"),
    line("deepen-since 0\n"),
    line(`shallow ${"c".repeat(40)}\n`),
    line("ref-prefix refs/\n"),
    line("done\n"),
    "0000",
    "0003",
    "ffff",
    "zzzz",
  ];
  return Array.from({ length: random.below(9) }, () => random.pick(parts)).join("");
}

const schemas = new WeakMap<z.ZodType, JsonSchema>();

function schemaOf(type: z.ZodType): JsonSchema {
  let schema = schemas.get(type);
  if (!schema) {
    schema = z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as JsonSchema;
    schemas.set(type, schema);
  }
  return schema;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value like the one that a schema describes: mostly valid, so that deeper checks are reached. */
function like(random: Random, schema: JsonSchema, targets: Targets, depth = 0): unknown {
  if (depth > 6 || random.once(25)) return random.pick(random.once(2) ? oddValues : oddTexts);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return like(random, random.pick(choices), targets, depth + 1);
  if (schema.enum) return random.pick(schema.enum);
  if ("const" in schema) return schema.const;
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) || random.once(2))
          .map(([name, field]) => [
            name,
            textOf(random, name, targets) ?? like(random, field, targets, depth + 1),
          ]),
      );
    case "array":
      return Array.from({ length: random.below(random.once(30) ? 2000 : 4) }, () =>
        like(random, schema.items ?? {}, targets, depth + 1),
      );
    case "boolean":
      return random.once(2);
    case "integer":
    case "number":
      return random.pick([0, 1, 2, 50, 200, -1, 2 ** 53, 0.5]);
    default:
      return random.once(3) ? random.pick(oddTexts) : random.pick(Object.values(targets.ids).flat());
  }
}

/** Fields whose text has a parser of its own, or names an existing object. */
function textOf(random: Random, name: string, { ids }: Targets): string | undefined {
  const known = ids[name.replace(/Id$|Ref$/, "")] ?? ids[name];
  if (known && !random.once(6)) return random.pick(known);
  if (random.once(4)) return undefined;
  if (name === "content")
    return random.once(2)
      ? `# Text ${random.below(100_000)}\n`
      : `---\n${hostileYaml(random)}\n---\n# Text\n${random.pick(oddTexts)}`;
  if (name === "name" || name === "slug" || name === "username") return `name-${random.below(100_000)}`;
  if (name === "email") return `u${random.below(100_000)}@example.com`;
  return name === "password" ? "correct horse battery" : undefined;
}
