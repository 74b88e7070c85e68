// Child process: creates a PGlite database in a folder and ends. Goes with its parent, however that went.
//   node queue-create-child.mjs <folder>
import { PgliteHost } from "./pglite-host.mjs";

process.on("disconnect", () => process.exit(1));
if (!process.connected) process.exit(1);
const host = await PgliteHost.open(process.argv[2]);
await host.close();
process.exit(0);
