import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { installCommand, installerFor } from "../../src/http/client/install-command.ts";
import { clientPackageRoutes } from "../../src/http/client/routes.ts";
import type { Route } from "../../src/http/route.ts";

const baseUrlOf = (address: string) => readConfig({ BASE_URL: address }).baseUrl;

describe("the address in the installer", () => {
  it("is one word of the shell, whatever the configured address contains", () => {
    for (const [address, expected] of [
      ["https://skills.example.com/", "https://skills.example.com"],
      ["http://127.0.0.1:3000", "http://127.0.0.1:3000"],
      ["https://skills$(id)`id`;b&c.example", "https://skills$(id)`id`;b&c.example"],
      ["https://skill's.example/", "https://skill's.example"],
      ["https://skills$&$1.example", undefined],
      ["https://a\"c'$home.example", undefined],
    ] as const) {
      const script = installerFor(baseUrlOf(address), `base=@BASE_URL@\nprintf '%s' "$base"\n`);
      const printed = execFileSync("sh", { input: script, encoding: "utf8" });
      assert.equal(printed, expected ?? address, script);
    }
  });

  it("is in a command that runs nothing else", () => {
    assert.equal(
      installCommand("https://skills.example.com"),
      "curl -fsSL https://skills.example.com/cli/install.sh | sh",
    );
    assert.equal(
      installCommand("https://skills.example.com/it's;id"),
      String.raw`curl -fsSL 'https://skills.example.com/it'\''s;id/cli/install.sh' | sh`,
    );
  });
});

describe("a service that was built without the package", () => {
  it("reports it", async () => {
    const [route] = clientPackageRoutes(
      "1.2.3",
      () => "https://skills.example.com",
      async () => undefined,
    );
    for (const file of ["svc.tgz", "svc-1.2.3.tgz", "svc.tgz.sha256", "install.sh"])
      await assert.rejects(
        route!.handle({ params: { file } } as Parameters<Route["handle"]>[0]),
        { code: "not_found", message: /built without the package of svc.*npm run build/ },
        file,
      );
  });
});
