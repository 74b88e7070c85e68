/** Downloads the client's package from the service, verifies it, and has npm install it. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { access, constants, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Client } from "../api/client.ts";
import { saveBody } from "../api/download.ts";
import type { Context } from "../context.ts";
import { CliError, messageOf } from "../errors.ts";
import type { Installation } from "./find-installation.ts";

/** A package of the service, as `GET /api/client` announces it. */
export interface OfferedPackage {
  version: string;
  sha256: string;
}

/** Far above the size of a package, which CI limits. */
const maxBytes = 10 * 1024 * 1024;

/** Writes the package into `folder` and returns its path. Throws `E_NETWORK` unless it has the announced checksum. */
export async function downloadPackage(
  client: Client,
  offered: OfferedPackage,
  folder: string,
): Promise<string> {
  const name = `svc-${offered.version}.tgz`;
  const path = join(folder, name);
  const response = await client.raw(`/cli/${name}`, {}, "application/gzip");
  await saveBody(response, path, { maxBytes });
  const sha256 = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  if (sha256 !== offered.sha256)
    throw new CliError(
      "E_NETWORK",
      `The checksum of ${name} is ${sha256}, and the service announced ${offered.sha256}. Nothing was installed.`,
    );
  return path;
}

/** Throws `E_INTERNAL` if npm can't install into the prefix, or if the installed client is another version. */
export async function installPackage(
  context: Context,
  installation: Extract<Installation, { kind: "npm" }>,
  file: string,
  version: string,
): Promise<void> {
  const { prefix, folder } = installation;
  await access(dirname(folder), constants.W_OK).catch((error: unknown) => {
    throw failed(
      `${dirname(folder)} can't be written (${messageOf(error)}). Run this as the user who installed svc there, or ` +
        "install it for your account only, with the installer of your service.",
      error,
    );
  });
  const npm = npmProgram(context.platform);
  // The package contains its dependencies and has no scripts, so npm needs no registry.
  const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
  const args = ["install", "--global", "--prefix", prefix, ...options, "--loglevel", "error", file];
  const installed = await runProgram(context, npm.program, [...npm.args, ...args], dirname(file));
  if (installed.code !== 0)
    throw failed(`npm could not install it into ${prefix}: ${installed.stderr.trim() || "no reason given"}`);
  const main = join(folder, "lib", "main.cjs");
  const started = await runProgram(context, process.execPath, [main, "--version"], dirname(file));
  if (started.code !== 0 || started.stdout.trim() !== version)
    throw failed(`npm has installed ${main}, which does not start as svc ${version}.`);
}

const failed = (reason: string, cause?: unknown) =>
  new CliError("E_INTERNAL", `svc could not be upgraded. ${reason}`, undefined, { cause });

/** On Windows, npm's own program, since its command is a script of the shell. */
function npmProgram(platform: NodeJS.Platform): { program: string; args: string[] } {
  if (platform !== "win32") return { program: "npm", args: [] };
  const file = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  return { program: process.execPath, args: [file] };
}

async function runProgram({ env }: Context, program: string, args: readonly string[], cwd: string) {
  const { SVC_TOKEN: _secret, ...passed } = env;
  const child = spawn(program, args, { cwd, env: passed, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(failed(error.code === "ENOENT" ? `${program} was not found.` : messageOf(error), error)),
    );
    child.once("close", resolve);
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
