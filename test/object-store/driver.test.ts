import { rm } from "node:fs/promises";
import { describe, it } from "node:test";
import { openDriver } from "../../repos/store/open-driver.ts";
import { storeDriverContract } from "../store/driver-contract.ts";
import { temporaryFolder } from "../store/fixtures.ts";
import { newBucket, whyNoObjectStore } from "../support/object-store.ts";

const skip = whyNoObjectStore();

if (skip !== undefined)
  describe("the driver for object stores", () => void it("is not tested", { skip }, () => undefined));
else {
  // Machines with folders of their own, so that each one reads what the others have stored.
  for (const [name, isShared] of [
    ["remote, one machine", true],
    ["remote, several machines", false],
  ] as const)
    storeDriverContract(name, async () => {
      const store = await newBucket();
      const root = await temporaryFolder();
      let machines = 0;
      const options = (folder: string) => ({
        root: `${root}/${folder}`,
        readHandles: 16,
        staleLockMs: 10_000,
        remote: { store, maxBytes: 1024 ** 3 },
      });
      return {
        open: () => openDriver(options(isShared ? "cache" : `cache-${++machines}`), () => undefined),
        options: () => options(isShared ? "cache" : "cache-1"),
        close: () => rm(root, { recursive: true, force: true }),
      };
    });
}
