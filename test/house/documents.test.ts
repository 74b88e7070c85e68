import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { FlagShape } from "../../cli/arguments/command-shape.ts";
import { listCommands } from "../../cli/registry.ts";
import { cliCodes, failureKinds, failures } from "../../contract/errors.ts";
import {
  builtInRoles,
  permissionActions,
  type PermissionGroup,
  skillProblemCodes,
  syncProblemCodes,
} from "../../contract/vocabulary.ts";
import { repoFailures } from "../../repos/errors.ts";
import { permissionsOfRole } from "../../src/access/permissions.ts";
import { Environment } from "../../src/environment.ts";
import { root } from "../support/root.ts";

const read = (name: string) => readFileSync(path.join(root, "docs", name), "utf8");

/** The cells of every table row of a document. */
const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe("docs/reference/errors.md", () => {
  it("lists every code of the closed table with its status and the client's code, and no other", () => {
    const [table = ""] = read("reference/errors.md").split("\n## ");
    const documented = rowsOf(table)
      .filter(([code]) => code!.startsWith("`"))
      .map(([code, status, , cli]) => [code!.replaceAll("`", ""), Number(status), cli!.replaceAll("`", "")]);

    assert.deepEqual(
      documented,
      Object.entries(failures).map(([code, { status, cli }]) => [code, status, cli]),
    );
    for (const kind of failureKinds) assert.ok(read("reference/errors.md").includes(`\`${kind}\``), kind);
  });
});

describe("docs/concepts/access.md", () => {
  it("lists the permissions of every built-in role", () => {
    const header = rowsOf(read("concepts/access.md"))
      .find((cells) => cells[0] === "group")!
      .slice(1);
    assert.deepEqual(header, [...builtInRoles]);
    const documented = new Map<string, string[]>();
    for (const [groups, ...cells] of rowsOf(read("concepts/access.md")))
      for (const [, group] of groups!.matchAll(/`(\w+)`/g))
        if (Object.hasOwn(permissionActions, group!))
          documented.set(
            group!,
            cells.map((cell) => (cell === "the same" ? cells[0]! : cell === "–" ? "" : cell)),
          );

    for (const group of Object.keys(permissionActions) as PermissionGroup[])
      assert.deepEqual(
        documented.get(group),
        builtInRoles.map((role) => (permissionsOfRole(role)[group] ?? []).join(", ")),
        group,
      );
  });
});

describe("docs/reference/sync.md", () => {
  const text = read("reference/sync.md");
  /** Codes in the first column of a table, by the heading of that column. */
  const codesBelow = (heading: string) => {
    const table = text.split("\n\n").find((part) => rowsOf(part)[0]?.[0] === heading);
    assert.ok(table, heading);
    const cells = rowsOf(table).slice(1);
    return cells.flatMap(([cell]) => Array.from(cell!.matchAll(/`(\w+)`/g), ([, code]) => code!));
  };

  it("lists every code of a connection's problem, and no other", () => {
    assert.deepEqual(codesBelow("`problem.code`").toSorted(), [...syncProblemCodes].toSorted());
    for (const failure of Object.keys(repoFailures))
      assert.ok(
        syncProblemCodes.some((code) => code === failure),
        failure,
      );
  });

  it("lists every code of a skill's problem, and no other", () => {
    assert.deepEqual(codesBelow("`code`").toSorted(), [...skillProblemCodes].toSorted());
  });
});

describe("docs/reference/cli.md", () => {
  const manual = read("reference/cli.md");
  /** Sections by command, from its heading to the next one; a heading may name several. */
  const sections = manual.split(/^(?=#{2,4} )/m);

  it("lists every code of the closed set", () => {
    const documented = rowsOf(manual).flatMap(([cell]) => cell!.match(/`E_[A-Z_]+`/g) ?? []);
    assert.deepEqual(documented.map((code) => code.replaceAll("`", "")).toSorted(), [...cliCodes].toSorted());
  });

  it("lists every command with its arguments, its flags and an example of each group", async () => {
    const missing: string[] = [];
    for (const [name, entry] of listCommands()) {
      const own = sections.filter((section) =>
        new RegExp(`^#+ .*\`svc ${name}[ \`]`).test(section.split("\n")[0]!),
      );
      if (own.length === 0) missing.push(`svc ${name}`);
      const text = own.join("\n");
      const command = await entry.load();
      for (const [flag, { short }] of Object.entries<FlagShape>(command.flags)) {
        if (!text.includes(`--${flag}`)) missing.push(`svc ${name} --${flag}`);
        if (short !== undefined && !new RegExp(`\`-${short}[, \`]`).test(text))
          missing.push(`svc ${name} -${short}`);
      }
    }
    assert.deepEqual(missing, []);
  });
});

describe("docs/reference/configuration.md", () => {
  it("lists every environment variable of the service, and no other", () => {
    const documented = rowsOf(read("reference/configuration.md"))
      .filter(([name]) => name!.startsWith("`"))
      .map(([name]) => name!.replaceAll("`", ""));

    assert.deepEqual(documented.toSorted(), Object.keys(Environment.shape).toSorted());
  });
});

describe("the guides for identity providers", () => {
  it("name the values of the service that the dashboard fills in, and no other", () => {
    const namesIn = (guide: string) => {
      const fields = read(`guides/${guide}.md`).match(/^ {3}- _.+_: `.+`$/gm) ?? [];
      return [...new Set(fields.flatMap((field) => field.match(/\{[^}]+\}/g) ?? []))].toSorted();
    };

    assert.deepEqual(namesIn("sso"), ["{urls.acs}", "{urls.callback}", "{urls.metadata}"]);
    assert.deepEqual(namesIn("scim"), ["{baseUrl}"]);
  });
});

describe("ARCHITECTURE.md", () => {
  const cells = rowsOf(readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8"));
  const foldersIn = (folder: string) =>
    readdirSync(path.join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);

  it("lists every directory of src/", () => {
    const layers = ["foundation", "people", "servers", "skills", "pages", "sync", "identity", "operation"];
    const listed = cells
      .filter(([layer]) => layers.includes(layer!))
      .flatMap(([, directories]) => Array.from(directories!.matchAll(/`([\w-]+)`/g), ([, name]) => name!));

    assert.deepEqual(listed.toSorted(), foldersIn("src").toSorted());
  });
});

describe("the documents", () => {
  const pages = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => path.posix.join("docs", name.split(path.sep).join("/"))),
  ];
  /** The lines of a page outside code blocks. */
  const proseOf = (page: string) => {
    let isCode = false;
    return readFileSync(path.join(root, page), "utf8")
      .split("\n")
      .filter((line) => {
        const isFence = line.trimStart().startsWith("```");
        if (isFence) isCode = !isCode;
        return !isFence && !isCode;
      });
  };
  /** Ids of a page's headings, as code hosts generate them: repeated ones are numbered. */
  const anchorsOf = (page: string) => {
    const anchors = new Set<string>();
    for (const line of proseOf(page)) {
      const heading = /^#+ (.*)$/.exec(line)?.[1];
      if (heading === undefined) continue;
      const id = heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-");
      let unique = id;
      for (let copy = 1; anchors.has(unique); copy++) unique = `${id}-${copy}`;
      anchors.add(unique);
    }
    return anchors;
  };
  const linksOf = (page: string) =>
    Array.from(
      proseOf(page)
        .join("\n")
        .matchAll(/\]\(([^)\s]+)\)/g),
      ([, link]) => link!,
    );

  it("link only to files and headings that exist", () => {
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => {
          const [file, anchor] = link.split("#");
          const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file!);
          if (!existsSync(path.join(root, target))) return true;
          if (anchor === undefined) return false;
          return !statSync(path.join(root, target)).isFile() || !anchorsOf(target).has(anchor);
        })
        .map((link) => `${page}: ${link}`),
    );

    assert.deepEqual(broken, []);
  });

  it("name only files and folders that exist, and functions that are in their file", () => {
    const areas = "bench|cli|contract|engines|repos|scripts|src|storage|test|web|workers";
    const wrong = pages.flatMap((page) => {
      const text = proseOf(page).join(" ").replace(/\s+/g, " ");
      const paths = Array.from(
        text.matchAll(new RegExp(`\`((?:${areas})/[\\w./-]+)\``, "g")),
        ([, name]) => name!,
      );
      // `function` (`file`), or `function`, `file` within parentheses.
      const functions = Array.from(text.matchAll(/`(\w+)`(?: \(|, )`([\w./-]+\.ts)`/g));
      return [
        ...paths.filter((name) => !existsSync(path.join(root, name))),
        ...functions
          .filter(([, name, file]) => {
            const isPath = existsSync(path.join(root, file!));
            return isPath && !new RegExp(`\\b${name}\\b`).test(readFileSync(path.join(root, file!), "utf8"));
          })
          .map(([, name, file]) => `${name} in ${file}`),
      ].map((name) => `${page}: ${name}`);
    });

    assert.deepEqual(wrong, []);
  });

  it("are all linked from docs/README.md", () => {
    const linked = new Set(
      linksOf("docs/README.md").map((link) => path.posix.join("docs", link.split("#")[0]!)),
    );

    assert.deepEqual(
      pages.filter((page) => !["README.md", "docs/README.md"].includes(page) && !linked.has(page)),
      [],
    );
  });

  it("have no line of prose over 120 columns", () => {
    const tooLong = pages.flatMap((page) =>
      proseOf(page)
        .filter((line) => line.length > 120 && !line.trimStart().startsWith("|"))
        // A link or a code span can't be wrapped.
        .filter((line) =>
          /\s/.test(line.replace(/^[\s\d.*-]+/, "").replace(/\[[^\]]*\]\([^)]*\)|`[^`]*`/g, "x")),
        )
        .map((line) => `${page}: ${line}`),
    );

    assert.deepEqual(tooLong, []);
  });

  it("have a README of at most 90 lines", () => {
    assert.ok(readFileSync(path.join(root, "README.md"), "utf8").split("\n").length <= 91);
  });
});
