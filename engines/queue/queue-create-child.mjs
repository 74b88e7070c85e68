// Child process: creates a PGlite database in a folder, with BullMQ's tables, and ends. Also ends with its parent.
//   node queue-create-child.mjs <folder>
import { runMigrations } from "bullmq";
import { PgliteHost } from "./pglite-host.mjs";

process.on("disconnect", () => process.exit(1));
if (!process.connected) process.exit(1);
const host = await PgliteHost.open(process.argv[2]);
await runMigrations(host.session());
// PostgreSQL's templates for further databases are never used, and are 600 of the 1,050 files that each copy would
// take.
await host.db.exec("UPDATE pg_database SET datistemplate = false");
for (const name of ["template0", "template1"]) await host.db.exec(`DROP DATABASE ${name}`);
await host.close();
process.exit(0);
