// Starts git for git-process.ts, one command after another, until its input ends.
import { spawnSync } from "node:child_process";
import { openSync, readSync, writeSync } from "node:fs";

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

const [requestsPath, answersPath] = process.argv.slice(2);
const requests = openSync(requestsPath, "r");
const answers = openSync(answersPath, "w");

function readBytes(count) {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count;) {
    const read = readSync(requests, bytes, at, count - at, null);
    if (read === 0) process.exit(0);
    at += read;
  }
  return bytes;
}

function write(bytes) {
  for (let at = 0; at < bytes.length;) at += writeSync(answers, bytes, at);
}

for (;;) {
  const { args, cwd, env, input } = JSON.parse(readBytes(readBytes(4).readUInt32BE()).toString());
  const done = spawnSync("git", args, {
    cwd,
    env,
    maxBuffer: MAX_OUTPUT_BYTES,
    input: Buffer.from(input ?? "", "base64"),
  });
  const stdout = done.stdout ?? Buffer.alloc(0);
  const stderr = done.error ? Buffer.from(String(done.error)) : done.stderr;
  const status = done.error ? null : done.status;
  const answer = Buffer.from(JSON.stringify({ status, stdout: stdout.length, stderr: stderr.length }));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(answer.length);
  write(Buffer.concat([head, answer, stdout, stderr]));
}
