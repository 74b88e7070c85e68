import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commands } from "../../cli/registry.ts";
import { texts } from "./sources.ts";

/** Commands that the dashboard shows, with their file: as a text, or as the words of a command line. */
function shownCommands(): { file: string; command: string }[] {
  const patterns = [/"svc",\s*"([a-z-]+)"/g, /["'`]svc ([a-z]+)\b/g];
  return [...texts]
    .filter(([file]) => file.startsWith("web/src/"))
    .flatMap(([file, text]) =>
      patterns.flatMap((pattern) =>
        [...text.matchAll(pattern)].map(([, command]) => ({ file, command: command! })),
      ),
    );
}

describe("commands in the dashboard", () => {
  it("exist in the client", () => {
    const shown = shownCommands();

    assert.ok(shown.length > 10, `only ${shown.length} were found`);
    assert.deepEqual(
      shown.filter(({ command }) => !(command in commands)),
      [],
    );
  });

  it("quote the names in them", () => {
    const joined = [...texts].filter(
      ([file, text]) => file.startsWith("web/src/") && /`(?:svc|git|npx) [^`]*\$\{/.test(text),
    );

    assert.deepEqual(
      joined.map(([file]) => file),
      [],
      "use commandLine of web/src/parts/copy/shell.ts",
    );
  });
});
