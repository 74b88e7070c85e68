import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";

const root = path.resolve(import.meta.dirname, "../..");

/** What each house may import of the others; `ARCHITECTURE.md` has the reasons. */
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
/** Files that reach further than their house. */
const exceptions: Record<string, readonly string[]> = {
  "src/queue": ["engines"],
};

/** Libraries that have a door: who may import them. */
const doors: [library: RegExp, files: RegExp][] = [
  [/^(mongodb|ioredis)$/, /^storage\//],
  [/^isomorphic-git|^@octokit\//, /^repos\//],
  [/^koa($|-)|^@koa\//, /^src\/(http|mcp)\/|^src\/api\.ts$|\/routes\.ts$/],
  [/^sharp$/, /^src\/orgs\/avatar-image\.ts$/],
  [/^nodemailer$/, /^src\/mail\//],
  [/^bullmq$/, /^src\/queue\/|^workers\/|^engines\/queue-create-child\.mjs$/],
  [/^citty$|^@clack\//, /^cli\//],
  [/^@0q\/embedded-mongodb$|^@electric-sql\//, /^engines\//],
];

/** Inside `src/`: a folder may import those before it, never those after. Kits come first and know no feature. */
const order = [
  "access",
  "http",
  "mcp",
  "queue",
  "audit",
  "analytics",
  "mail",
  "users",
  "orgs",
  "folders",
  "tokens",
  "auth",
  "workspaces",
  "mcp-servers",
  "skills",
  "sync",
  "sso",
  "scim",
  "jobs",
  "demo",
  "operations",
];
/** Where everything is put together. */
const assembly = ["src/api.ts", "src/open.ts"];

interface Import {
  from: string;
  /** As it is written. */
  specifier: string;
  /** The file, for relative ones. */
  target: string | undefined;
  typeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|js)$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file));
}

const present = readdirSync(root, { withFileTypes: true });
const houses = Object.keys(mayImport).filter((name) => present.some((entry) => entry.name === name));
const product = houses.flatMap((house) => (house.endsWith(".ts") ? [house] : sourceFiles(house)));
const everything = [
  ...product,
  ...["test", "bench", "scripts"]
    .filter((name) => present.some((entry) => entry.name === name))
    .flatMap(sourceFiles),
];
const texts = new Map(everything.map((file) => [file, readFileSync(path.join(root, file), "utf8")]));

/** Every import, export from and dynamic import of a file, comments left out. */
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

describe("the house", () => {
  it("was read", () => {
    assert.ok(houses.length >= 7, houses.join());
    assert.ok(imports.length > 300, `${imports.length} imports`);
    assert.ok(
      imports.some(({ from, specifier }) => from === "storage/database.ts" && specifier === "mongodb"),
    );
    assert.ok(imports.some(({ from, typeOnly }) => from === "src/app.ts" && typeOnly));
  });

  it("keeps each room to what it may import", () => {
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

  it("keeps each library behind its door", () => {
    const wrong = imports.filter(({ from, specifier }) =>
      doors.some(([library, files]) => library.test(specifier) && !files.test(from)),
    );

    assert.deepEqual(listed(wrong), []);
  });

  it("lets imports inside src run up the list alone", () => {
    const folderOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1];
    const unknown = product.map(folderOf).filter((folder) => folder !== undefined && !order.includes(folder));
    assert.deepEqual([...new Set(unknown)], []);
    const wrong = imports.filter(({ from, target, typeOnly }) => {
      const other = target && folderOf(target);
      if (!from.startsWith("src/") || other === undefined || assembly.includes(from)) return false;
      const own = folderOf(from);
      // The app's own files name what it is made of; they run nothing of it.
      if (own === undefined) return !typeOnly;
      return order.indexOf(other) > order.indexOf(own);
    });

    assert.deepEqual(listed(wrong), []);
  });

  it("lets a feature call another's service, never its routes", () => {
    const wrong = imports.filter(
      ({ from, target }) =>
        target !== undefined &&
        target.endsWith("routes.ts") &&
        path.posix.dirname(from) !== path.posix.dirname(target) &&
        from !== "src/api.ts",
    );

    assert.deepEqual(listed(wrong), []);
  });

  it("has no circle of imports", () => {
    const edges = new Map<string, string[]>();
    for (const { from, target, typeOnly } of imports)
      if (target !== undefined && !typeOnly) edges.set(from, [...(edges.get(from) ?? []), target]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file))
        return void circles.push([...trail.slice(trail.indexOf(file)), file].join(" > "));
      if (done.has(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of product) visit(file, []);

    assert.deepEqual(circles, []);
  });

  it("writes relative imports with their ending, to files that are there", () => {
    const wrong = everything
      .flatMap(importsOf)
      .filter(({ target, specifier }) => target !== undefined && !/\.(ts|mjs|js|json)$/.test(specifier));
    const missing = imports.filter(({ target }) => target?.endsWith(".ts") && !texts.has(target));

    assert.deepEqual(listed(wrong), []);
    assert.deepEqual(listed(missing), []);
  });

  it("names built-in modules as such", () => {
    const wrong = imports.filter(({ specifier }) =>
      /^(fs|path|os|crypto|http|net|stream|util|url|zlib)(\/|$)/.test(specifier),
    );

    assert.deepEqual(listed(wrong), []);
  });
});

describe("every source file", () => {
  const filesWith = (pattern: RegExp, among: readonly string[]) =>
    among.filter((file) =>
      pattern.test(
        texts
          .get(file)!
          .replace(/\/\*[^]*?\*\//g, "")
          .replace(/\/\/.*$/gm, ""),
      ),
    );

  it("has at most 400 lines", () => {
    const long = everything.filter((file) => texts.get(file)!.split("\n").length > 401);

    assert.deepEqual(long, []);
  });

  it("has found its home", () => {
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

  it("leaves the environment to the configuration, the client and what starts processes", () => {
    const wrong = filesWith(/\bprocess\.env\b/, product).filter(
      (file) => file !== "src/config.ts" && !file.startsWith("cli/"),
    );

    assert.deepEqual(wrong, []);
  });

  it("prints through its log or its output, and ends through its entry", () => {
    const printing = filesWith(/\bconsole\.\w+\(/, product).filter(
      (file) => file !== "server.ts" && !/^engines\/.*\.mjs$/.test(file),
    );
    const ending = filesWith(/\bprocess\.exit\(/, product).filter(
      (file) => file !== "server.ts" && !file.startsWith("engines/") && !file.startsWith("cli/"),
    );

    assert.deepEqual(printing, []);
    assert.deepEqual(ending, []);
  });

  it("is typed to the end, and finished", () => {
    const own = everything.filter((file) => file !== "test/house/imports.test.ts");

    assert.deepEqual(filesWith(/:\s*any\b|\bas any\b|<any>|as unknown as\b/, own), []);
    assert.deepEqual(
      own.filter((file) => /@ts-(ignore|nocheck|expect-error)|\b(TODO|FIXME|XXX)\b/.test(texts.get(file)!)),
      [],
    );
    assert.deepEqual(filesWith(/^\s*export default\b|^\s*(export\s+)?enum\s/m, own), []);
  });
});
