import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { everything, linesOf, product, texts } from "./sources.ts";

/** Top-level directories that each one may import; `ARCHITECTURE.md` has the reasons. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  engines: [],
  storage: ["contract"],
  repos: ["contract"],
  src: ["contract", "storage", "repos"],
  workers: ["contract", "repos", "src"],
  cli: ["contract", "package.json"],
  web: ["contract"],
  "server.ts": ["contract", "engines", "storage", "repos", "src", "workers"],
};
/** Files that may import more than their directory. */
const exceptions: Record<string, readonly string[]> = {
  "src/queue": ["engines"],
  "src/operations": ["engines"],
};

/** Libraries with restricted importers. */
const doors: [library: RegExp, files: RegExp][] = [
  [/^(mongodb|ioredis)$/, /^storage\//],
  [/^node:https$|^proxy-from-env$/, /^repos\/transport\/connections\.ts$|^cli\//],
  [/^isomorphic-git|^@octokit\//, /^repos\//],
  [/^aws4fetch$/, /^repos\/object-store\//],
  [/^koa($|-)|^@koa\//, /^src\/(http|mcp)\/|^src\/api\.ts$|\/routes\.ts$/],
  [/^sharp$/, /^src\/orgs\/avatar\/avatar-image\.ts$/],
  [/^badge-maker$/, /^src\/dashboard\/pictures\//],
  [/^(fontkit|bidi-js|@resvg\/resvg-wasm)$/, /^src\/compute\/pieces\/card\//],
  [/^jose$/, /^src\/ci\//],
  [/^@modelcontextprotocol\/(server|node)(\/|$)/, /^src\/(mcp|connectors)\//],
  [/^@node-saml\/|^@xmldom\/|^openid-client$/, /^src\/sso\/|^src\/compute\/pieces\/verify-xml\.ts$/],
  [/^nodemailer$/, /^src\/mail\//],
  [/^prom-client$/, /^src\/metrics\//],
  [/^@opentelemetry\//, /^src\/tracing\//],
  [/^markdown-it$/, /^src\/compute\/pieces\/|^web\/|^contract\/document\/markdown(-it-footnote\.d)?\.ts$/],
  [/^markdown-it-footnote$/, /^contract\/document\/markdown\.ts$/],
  [/^diff$/, /^src\/compute\/pieces\/|^web\//],
  [/^bullmq$/, /^src\/queue\/|^workers\/|^engines\/queue\/queue-create-child\.mjs$/],
  [/^citty$|^@clack\//, /^cli\//],
  [/^react($|-|\/)|^@mantine\/|^@tanstack\/|^@codemirror\/|^lucide-react$/, /^web\//],
  [/^@0q\/embedded-mongodb$|^@electric-sql\//, /^engines\//],
];

/**
 * Inside `src/`: a directory may import those before it, never those after. General modules come first and import no
 * feature.
 */
const order = [
  "access",
  "http",
  "compute",
  "mcp",
  "queue",
  "clone",
  "webhooks",
  "audit",
  "analytics",
  "mail",
  "epoch",
  "users",
  "orgs",
  "folders",
  "tokens",
  "auth",
  "mfa",
  "accounts",
  "oauth",
  "workspaces",
  "mcp-servers",
  "connectors",
  "skills",
  "reach",
  "ci",
  "dashboard",
  "sync",
  "sso",
  "scim",
  "names",
  "attention",
  "events",
  "jobs",
  "metrics",
  "tracing",
  "demo",
  "operations",
];
/** Inside `src/sync/`: the modules that each one may import. */
const syncModules: Record<string, readonly string[]> = {
  connection: [],
  content: ["connection"],
  report: ["connection"],
  triggers: ["connection"],
  run: ["connection", "content"],
  preview: ["connection", "content", "report"],
  routes: ["connection", "preview", "report", "triggers"],
};
/** The files that compose the application. */
const assembly = ["src/api.ts", "src/open.ts"];

interface Import {
  from: string;
  /** The specifier as written. */
  specifier: string;
  /** The resolved file, for relative specifiers. */
  target: string | undefined;
  typeOnly: boolean;
}

/** Every import, export from and dynamic import of a file, without comments. */
function importsOf(file: string): Import[] {
  const code = texts
    .get(file)!
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "");
  const found: Import[] = [];
  const statement = /(?:^|[;\n])\s*(import|export)\s(type\s)?(?:[\w*{}\s,$]+?\sfrom\s)?["']([^"'\n]+)["']/g;
  for (const [, , type, specifier] of code.matchAll(statement))
    found.push(toImport(file, specifier!, type !== undefined));
  for (const [, specifier] of code.matchAll(/\bimport\(\s*["']([^"']+)["']/g))
    found.push(toImport(file, specifier!, false));
  return found;
}

function toImport(from: string, specifier: string, typeOnly: boolean): Import {
  const target = specifier.startsWith(".") ? path.posix.join(path.posix.dirname(from), specifier) : undefined;
  return { from, specifier, target, typeOnly };
}

const imports = product.flatMap(importsOf);
const houseOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : file);
const listed = (list: readonly Import[]) => list.map(({ from, specifier }) => `${from} imports ${specifier}`);

const filesWith = (pattern: RegExp, among: readonly string[]) =>
  among.filter((file) =>
    pattern.test(
      texts
        .get(file)!
        .replace(/\/\*[^]*?\*\//g, "")
        .replace(/\/\/.*$/gm, ""),
    ),
  );

describe("the imports of the repository", () => {
  it("were read", () => {
    assert.ok(product.length > 500, `${product.length} files`);
    assert.ok(imports.length > 300, `${imports.length} imports`);
    assert.ok(
      imports.some(({ from, specifier }) => from === "storage/database.ts" && specifier === "mongodb"),
    );
    assert.ok(imports.some(({ from, typeOnly }) => from === "src/app.ts" && typeOnly));
  });

  it("stay within the allowed directories", () => {
    const wrong = imports.filter(({ from, target }) => {
      if (target === undefined) return false;
      const [own, other] = [houseOf(from), houseOf(target)];
      const further = Object.entries(exceptions).flatMap(([folder, more]) =>
        from.startsWith(`${folder}/`) ? more : [],
      );
      return own !== other && ![...mayImport[own]!, ...further].includes(other);
    });

    assert.deepEqual(listed(wrong), []);
  });

  it("of a library are in its own directory only", () => {
    const wrong = imports.filter(({ from, specifier }) =>
      doors.some(([library, files]) => library.test(specifier) && !files.test(from)),
    );

    assert.deepEqual(listed(wrong), []);
  });

  it("of the YAML parser are in one file, which bounds nesting", () => {
    const importing = product.filter((file) => importsOf(file).some(({ specifier }) => specifier === "yaml"));
    assert.ok(importing.includes("contract/document/yaml.ts"));
    const parser =
      /\b(parseDocument|parseAllDocuments|Parser|Composer)\b|\byaml\.parse\b|\*\s*as\b[^;]*"yaml"/i;
    const named = /\{[^}]*\bparse\b[^}]*\}\s*(from|=\s*await\s+import\()\s*"yaml"/;

    const wrong = filesWith(
      new RegExp(`${parser.source}|${named.source}`),
      importing.filter((file) => file !== "contract/document/yaml.ts"),
    );

    assert.deepEqual(wrong, []);
  });

  it("inside src only go up the list", () => {
    const folderOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1];
    const unknown = product.map(folderOf).filter((folder) => folder !== undefined && !order.includes(folder));
    assert.deepEqual([...new Set(unknown)], []);
    const wrong = imports.filter(({ from, target, typeOnly }) => {
      const other = target && folderOf(target);
      if (!from.startsWith("src/") || other === undefined || assembly.includes(from)) return false;
      const own = folderOf(from);
      // The app's type files name its parts; they call none of them.
      if (own === undefined) return !typeOnly;
      return order.indexOf(other) > order.indexOf(own);
    });

    assert.deepEqual(listed(wrong), []);
  });

  it("of another feature are of its service, never its routes", () => {
    const wrong = imports.filter(
      ({ from, target }) =>
        target !== undefined &&
        target.endsWith("routes.ts") &&
        from.split("/")[1] !== target.split("/")[1] &&
        from !== "src/api.ts" &&
        !from.startsWith("web/"),
    );

    assert.deepEqual(listed(wrong), []);
  });

  it("inside src/sync are of allowed modules only", () => {
    const moduleOf = (file: string) => /^src\/sync\/([^/.]+)/.exec(file)?.[1];
    const modules = new Set(product.map(moduleOf).filter((name) => name !== undefined));
    assert.deepEqual([...modules].sort(), Object.keys(syncModules).sort());
    const wrong = imports.filter(({ from, target }) => {
      const [own, other] = [moduleOf(from), target && moduleOf(target)];
      return own && other && own !== other && !syncModules[own]!.includes(other);
    });

    assert.deepEqual(listed(wrong), []);
  });

  it("form no cycle, type-only imports included", () => {
    const edges = new Map<string, string[]>();
    for (const { from, target } of imports)
      if (target !== undefined) edges.set(from, [...(edges.get(from) ?? []), target]);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file))
        return void cycles.push([...trail.slice(trail.indexOf(file)), file].join(" > "));
      if (done.has(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of product) visit(file, []);

    assert.deepEqual(cycles, []);
  });

  it("that are relative have their ending and an existing file", () => {
    const wrong = everything
      .flatMap(importsOf)
      .filter(
        ({ target, specifier }) => target !== undefined && !/\.(ts|tsx|mjs|js|json|css)$/.test(specifier),
      );
    const missing = imports.filter(
      ({ target }) => /^(?!.*\/generated\/).*\.tsx?$/.test(target ?? "") && !texts.has(target!),
    );

    assert.deepEqual(listed(wrong), []);
    assert.deepEqual(listed(missing), []);
  });

  it("of built-in modules have the node: prefix", () => {
    const wrong = imports.filter(({ specifier }) =>
      /^(fs|path|os|crypto|http|net|stream|util|url|zlib)(\/|$)/.test(specifier),
    );

    assert.deepEqual(listed(wrong), []);
  });
});

describe("every source file", () => {
  it("has at most 400 lines", () => {
    const long = everything.filter((file) => linesOf(file) > 400);

    assert.deepEqual(long, []);
  });

  it("is in a known directory", () => {
    const homeless = everything.filter((file) =>
      /(^|[/.-])(utils?|helpers?|common|manager|misc)([/.-]|$)/.test(file),
    );

    assert.deepEqual(homeless, []);
  });

  it("is named in kebab-case", () => {
    const odd = everything.filter(
      (file) => !/^([a-z0-9]+([.-][a-z0-9]+)*\/)*[a-z0-9]+([.-][a-z0-9]+)*$/.test(file),
    );

    assert.deepEqual(odd, []);
  });

  it("reads no environment variables, except the configuration, the client and files that start processes", () => {
    const wrong = filesWith(/\bprocess\.env\b/, product).filter(
      (file) => file !== "src/config.ts" && !file.startsWith("cli/"),
    );

    assert.deepEqual(wrong, []);
  });

  it("prints only through its log or output, and exits only at its entry", () => {
    const printing = filesWith(/\bconsole\.\w+\(/, product).filter(
      (file) => file !== "server.ts" && !/^engines\/.*\.mjs$/.test(file),
    );
    const ending = filesWith(/\bprocess\.exit\(/, product).filter(
      (file) => file !== "server.ts" && !file.startsWith("engines/") && !file.startsWith("cli/"),
    );

    assert.deepEqual(printing, []);
    assert.deepEqual(ending, []);
  });

  it("contains no type suppressions and no unfinished code", () => {
    const own = everything.filter((file) => file !== "test/house/imports.test.ts");

    assert.deepEqual(filesWith(/:\s*any\b|\bas any\b|<any>|as unknown as\b/, own), []);
    assert.deepEqual(
      own.filter((file) => /@ts-(ignore|nocheck|expect-error)|\b(TODO|FIXME|XXX)\b/.test(texts.get(file)!)),
      [],
    );
    assert.deepEqual(filesWith(/^\s*export default\b|^\s*(export\s+)?enum\s/m, own), [
      "web/vite.config.ts", // Vite reads the default export.
    ]);
  });
});
