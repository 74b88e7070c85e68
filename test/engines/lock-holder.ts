// Takes a lock, says so and keeps it: the lock's tests kill it. argv: folder, name.
import { lockDataDir } from "../../engines/data-dir-lock.ts";

const [dir = "", name = ""] = process.argv.slice(2);
try {
  await lockDataDir(dir, name);
  process.stdout.write("held\n");
  setInterval(() => {}, 1000);
} catch (error) {
  process.stdout.write(`${(error as Error).name}\n`);
}
