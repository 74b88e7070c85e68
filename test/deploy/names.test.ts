/** Names of settings in files of `deploy/` that the other tests do not read as a whole. */
import { describe, it } from "node:test";
import { assertSettings, readDeployed } from "./settings.ts";

describe("a file for proxies or systemd", () => {
  for (const name of ["nginx.conf", "Caddyfile", "systemd/svc@.service"])
    it(`${name} names variables of the service`, () => {
      const found = readDeployed(name).matchAll(/\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)=/g);
      assertSettings(Array.from(found, ([, variable]) => variable!));
    });
});
