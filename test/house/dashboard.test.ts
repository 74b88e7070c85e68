/** Lists of the dashboard that have to agree with each other, and that no type compares. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { brandIcon, brandName } from "../../contract/dashboard/brand.ts";
import { designTokens } from "../../contract/dashboard/design-tokens.ts";
import { changeTypes } from "../../contract/dashboard/lists.ts";
import { openDashboard } from "../../src/http/dashboard/routes.ts";
import { composeMail } from "../../src/mail/compose.ts";
import { root } from "../support/root.ts";
import { addressesOf, loadRoutes, loadSource, type RouteNode } from "../support/web/addresses.ts";

const ofOrganization = "/$org";

/** An address of the front end in the form of the service's routes: `/$org/files/$` as `/:org/files/*rest`. */
const served = (address: string) => address.replaceAll(/\$(?=[a-z])/g, ":").replace(/\$$/, "*rest");

/** Whether a route of the service serves an address. */
const serves = (route: string) => {
  const pattern = route.replaceAll(/:[a-z]+/gi, "[^/]+").replace(/\*\w+$/, ".+");
  return (address: string) => new RegExp(`^${pattern}$`).test(served(address));
};

describe("the addresses of the dashboard", async () => {
  const routes = await loadRoutes();
  const addresses = addressesOf(routes);
  const dashboard = openDashboard(() => Promise.resolve(undefined));
  const pages = dashboard.routes.map((route) => route.path).filter((one) => !one.startsWith("/assets/"));

  it("are those that the service serves", () => {
    const own = addresses.filter((address) => !address.startsWith(ofOrganization));
    const ofOrganizations = addresses.filter((address) => address.startsWith(ofOrganization));
    const isServed = (paths: readonly string[]) => (address: string) =>
      paths.some((one) => serves(one)(address));

    assert.deepEqual(
      own.filter((address) => !isServed(pages)(address)),
      [],
      "not served",
    );
    assert.deepEqual(
      pages.filter((page) => !own.some(serves(page))),
      [],
      "without a page",
    );
    // The last one is for what is no page; the library is also at its address without a folder.
    const organizationPages = dashboard.pages.map((route) => route.path).slice(0, -1);
    assert.deepEqual(
      ofOrganizations.filter((address) => !isServed(organizationPages)(address)),
      [],
      "not served",
    );
    assert.deepEqual(
      organizationPages.filter((page) => !ofOrganizations.some(serves(page))),
      ["/:org/-/library"],
      "without a page",
    );
  });

  it("are in the reference", () => {
    const reference = readFileSync(path.join(root, "docs/reference/dashboard.md"), "utf8");
    const named = new Set(Array.from(reference.matchAll(/`([^`\n]*)`/g), ([, name]) => name!));
    const documented = (address: string): RegExp => {
      const local = address.replace(/^\/\$org\/-\//, "").replace(/^\/\$org\/\$slug/, "");
      return new RegExp(`^${local.replaceAll(/\$[a-z]+|\$$/g, "\\{[a-z]+\\}(\\.\\.\\.\\{[a-z]+\\})?")}$`);
    };
    const missing = addresses
      .filter((address) => address !== "/$org/$slug")
      .filter((address) => ![...named].some((name) => documented(address).test(name)));

    assert.deepEqual(missing, []);
  });

  it("are relative to their parent in nested routes", () => {
    const nested = (node: RouteNode): RouteNode[] =>
      (node.children ?? []).flatMap((child) => [child, ...nested(child)]);
    const absolute = (routes.children ?? []).flatMap(nested).filter((node) => node.path?.startsWith("/"));

    assert.deepEqual(absolute, []);
  });
});

describe("the brand", () => {
  it("has one mark in the dashboard and on pages without script", () => {
    assert.equal(readFileSync(path.join(root, "web/public/icon.svg"), "utf8"), brandIcon);
  });

  it("has the name and the light colors of the pages in mails", () => {
    const { html } = composeMail("https://skills.example.com", {
      subject: "Hello",
      before: ["Before."],
      link: { label: "Open", url: "https://skills.example.com/x" },
      after: ["After."],
      command: { label: "Run:", line: "svc" },
    });
    const colors = [...new Set(html.match(/#[0-9a-f]{6}\b/g))];

    assert.ok(html.includes(brandName));
    assert.ok(colors.length > 4);
    assert.deepEqual(
      colors.filter((color) => !designTokens.includes(`(${color}, `)),
      [],
    );
  });
});

describe("texts of the dashboard", () => {
  const folder = path.join(root, "web/src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const filesWith = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(path.join(folder, file), "utf8")));

  it("have dates and times of one form", () => {
    const found = filesWith(
      /Intl\.(DateTimeFormat|RelativeTimeFormat)|toLocale(Date|Time)?String\(\[?"?[^)]*(day|month|hour)/,
    );

    assert.deepEqual(found, ["parts/text/dates.ts"]);
  });

  it("choose the singular by `countText`", () => {
    const found = filesWith(/=== 1 \? "(\w+)" : "(\1s|\w+ies)"|\$\{\w+\} \w+\$\{\w+ === 1/);

    assert.deepEqual(found, []);
  });
});

describe("live updates of the dashboard", async () => {
  const { operations } = await loadSource<{ operations: Record<string, readonly string[]> }>(
    "web/src/live/refetch.ts",
  );

  it("read paths that queries have, for each type of change", () => {
    const folder = path.join(root, "web/src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    const keys = new Set(
      files
        .flatMap((file) => [
          ...readFileSync(path.join(folder, file), "utf8").matchAll(
            /\b(?:query|pages|whole)\(\s*"([^"]+)"|queryKey: \["([^"]+)"\],/g,
          ),
        ])
        .map(([, read, key]) => read ?? key!),
    );

    assert.ok(keys.size > 30, "the paths are found");
    assert.deepEqual(Object.keys(operations).sort(), [...changeTypes].sort());
    assert.deepEqual(
      Object.values(operations)
        .flat()
        .filter((key) => !keys.has(key)),
      [],
    );
  });
});

describe("the style sheets of Mantine", () => {
  it("are those of the components in use", () => {
    const folder = path.join(root, "web/src");
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".tsx"))
      .map((name) => readFileSync(path.join(folder, name), "utf8"));
    const imported = sources.flatMap((text) => [
      ...text.matchAll(/import \{([^}]*)\} from "@mantine\/core"/g),
    ]);
    const used = new Set(imported.flatMap(([, names]) => names!.match(/\b[A-Z]\w+/g) ?? []));
    const sheets = readdirSync(path.join(root, "node_modules/@mantine/core/styles"));
    const own = readFileSync(path.join(folder, "mantine.css"), "utf8");
    const needed = [...used].filter((name) => sheets.includes(`${name}.layer.css`));

    assert.ok(needed.length > 10, "the components are found");
    assert.deepEqual(
      needed.filter((name) => !own.includes(`/${name}.layer.css`)),
      [],
    );
  });
});
