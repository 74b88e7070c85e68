// Starts engine-process.ts and reads what it says.
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import fs from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { programArgs } from "../support/root.ts";

interface Said {
  uri: string;
  pid?: number;
  attached: boolean;
}

export interface OtherProcess {
  /** The next thing it says; fails when it ends before. */
  next(): Promise<Said>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export function runElsewhere(kind: "mongo" | "queue", dataDir: string, cacheDir = ""): OtherProcess {
  const args = [...programArgs("test/engines/engine-process.ts"), kind, dataDir, cacheDir];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const said: Said[] = [];
  const news = new EventEmitter();
  createInterface(child.stdout).on("line", (line) => {
    said.push(JSON.parse(line) as Said);
    news.emit("said");
  });
  const gone = once(child, "exit").then(() => news.emit("said"));
  return {
    async next() {
      if (said.length === 0) await once(news, "said");
      const first = said.shift();
      if (!first) throw new Error("the other process ended");
      return first;
    },
    async kill(signal) {
      child.kill(signal);
      await gone;
    },
  };
}

/** True once the process is gone, or false after `ms`. */
export async function endsWithin(pid: number, ms: number): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(20)) {
    if (!isAlive(pid)) return true;
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Dead, but its new parent has not looked yet.
    return (
      process.platform !== "linux" || !/^\d+ \(.*\) Z/.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
    );
  } catch {
    return false;
  }
}
