import { rm } from "node:fs/promises";
import { openDriver } from "../../repos/store/open-driver.ts";
import { storeDriverContract } from "./driver-contract.ts";
import { temporaryFolder } from "./fixtures.ts";

storeDriverContract("posix", async () => {
  const root = await temporaryFolder();
  const options = { root, readHandles: 16, staleLockMs: 10_000 };
  return {
    open: () => openDriver(options, () => undefined),
    options: () => options,
    close: () => rm(root, { recursive: true, force: true }),
  };
});
