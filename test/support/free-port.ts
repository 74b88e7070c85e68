import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/** A port that was free a moment ago, for a process that can't report the one that it selects. */
export async function freePort(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return String(port);
}
