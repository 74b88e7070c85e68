// Keeps two services from using one data folder under the same name at once.
//
// Each contender puts a file of its own into `<dir>/.locks/`, then looks at the others, and steps back if one belongs
// to a living process. If two start at once, the later one always sees the earlier one, so both never hold the lock.
// Files of dead processes are removed without a race, since no name is used twice.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const ATTEMPTS = 12;
/** A contender whose file is this old does not give way any more. */
const SETTLED_MS = 1000;

/** Holder of a lock. `birth` distinguishes a process from a later one with the same pid. */
interface Holder {
  pid: number;
  startedAt: string;
  birth: string;
}

/** The folder is in use under this name; the message names the process and the remedy. */
export class DataDirLockedError extends Error {
  readonly pid: number;
  readonly startedAt: Date;

  constructor(dir: string, name: string, holder: Holder) {
    super(
      `The data folder ${dir} is in use (${name}) by process ${holder.pid}, started at ${holder.startedAt}. ` +
        `Stop that process first, or set DATA_DIR to another folder.`,
    );
    this.name = "DataDirLockedError";
    this.pid = holder.pid;
    this.startedAt = new Date(holder.startedAt);
  }
}

/**
 * Takes the lock `name` (letters, digits and hyphens) on `dir`, creating the folder when missing, and resolves with
 * the function that gives it back. Survives kill -9: the lock of a process that is gone counts for nothing, also when
 * its pid is in use again. Processes on other hosts or in other pid namespaces are not seen.
 * Throws DataDirLockedError while a living process holds it.
 */
export async function lockDataDir(dir: string, name: string): Promise<() => void> {
  if (!/^[a-z0-9-]+$/i.test(name)) throw new TypeError(`"${name}" is not a valid lock name`);
  const absolute = path.resolve(dir);
  const locks = path.join(absolute, ".locks");
  fs.mkdirSync(locks, { recursive: true, mode: 0o700 });
  const self: Holder = {
    pid: process.pid,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    birth: birthOf(process.pid) ?? "",
  };
  for (let attempt = 1; ; attempt++) {
    const file = path.join(locks, `${name}.${process.pid}-${randomBytes(6).toString("hex")}.lock`);
    writeWhole(file, self);
    const rival = livingHolders(locks, name).find((other) => other.file !== file);
    if (!rival) return () => fs.rmSync(file, { force: true });
    fs.rmSync(file, { force: true });
    const hasSettled = Date.now() - rival.takenAt > SETTLED_MS;
    if (hasSettled || attempt === ATTEMPTS) throw new DataDirLockedError(absolute, name, rival.holder);
    // Two that start at once see each other and both step back: unequal pauses let one of them through.
    await new Promise((done) => setTimeout(done, 20 + Math.random() * 40 * attempt));
  }
}

/** Appears under its name only with its whole content. */
function writeWhole(file: string, holder: Holder) {
  const aside = `${file}.new`;
  fs.writeFileSync(aside, JSON.stringify(holder), { mode: 0o600 });
  fs.renameSync(aside, file);
}

function livingHolders(locks: string, name: string): { file: string; holder: Holder; takenAt: number }[] {
  return fs
    .readdirSync(locks)
    .filter((entry) => entry.startsWith(`${name}.`) && entry.endsWith(".lock"))
    .map((entry) => path.join(locks, entry))
    .flatMap((file) => {
      const holder = readHolder(file);
      const takenAt = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
      if (!holder || takenAt === undefined) return [];
      if (holder.birth === birthOf(holder.pid)) return [{ file, holder, takenAt }];
      fs.rmSync(file, { force: true });
      return [];
    });
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")) as Holder;
  } catch (error) {
    // Given back since the folder was listed, or cut off by a power failure: no living process is behind it.
    if (!(error instanceof SyntaxError)) return undefined;
    fs.rmSync(file, { force: true });
    return undefined;
  }
}

/** When a process was started, in a form that differs for any other process; undefined when there is none. */
function birthOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return undefined;
  }
  try {
    if (process.platform === "linux") {
      const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
      // The command's name may hold spaces and parentheses: fields count from its closing one.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (fields[0] === "Z") return undefined;
      return `${boot} ${fields[19]}`;
    }
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}
