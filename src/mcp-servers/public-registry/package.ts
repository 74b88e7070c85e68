/** The command line of a local server as a package of the public registry's form, which names a few programs only. */
import type { McpServerConfig } from "../../../contract/mcp-servers.ts";
import { valueOf, variablesOf } from "./inputs.ts";

interface Found {
  registryType: "npm" | "pypi" | "oci";
  identifier: string;
  version?: string;
  /** Arguments of the program itself. */
  runtime: string[];
  /** Arguments of the server. */
  own: readonly string[];
}

type Reader = (args: readonly string[], environment: readonly string[]) => Found | { problem: string };

const readers: Readonly<Record<string, Reader>> = { npx: readNpx, uvx: readUvx, docker: readDocker };

/** The package, or the reason why the command line has no form. */
export function packageOf(config: McpServerConfig): { packages: object[] } | { problem: string } {
  const { command = "", args, env } = config;
  const reader = Object.hasOwn(readers, command) ? readers[command]! : undefined;
  if (!reader)
    return { problem: `Its command is "${command}", and the registry's form has only npx, uvx and docker.` };
  const found = reader(
    args,
    env.map(({ name }) => name),
  );
  if ("problem" in found) return found;
  const { registryType, identifier, version, runtime, own } = found;
  return {
    packages: [
      {
        registryType,
        identifier,
        version,
        runtimeHint: command,
        transport: { type: "stdio" },
        runtimeArguments:
          runtime.length === 0 ? undefined : runtime.map((value) => ({ type: "positional", value })),
        packageArguments:
          own.length === 0
            ? undefined
            : own.map((value) => ({
                type: "positional",
                value,
                ...variablesOf(value, config),
              })),
        environmentVariables: env.length === 0 ? undefined : env.map((value) => valueOf(value, config)),
      },
    ],
  };
}

function readNpx(args: readonly string[]): Found | { problem: string } {
  const isConfirmed = args[0] === "-y" || args[0] === "--yes";
  const [name = "", ...own] = isConfirmed ? args.slice(1) : args;
  const [, identifier, version] = /^((?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)(?:@(.*))?$/i.exec(name) ?? [];
  const runtime = isConfirmed ? ["-y"] : [];
  return versioned({ registryType: "npm", identifier, version, runtime, own }, "npx");
}

function readUvx(args: readonly string[]): Found | { problem: string } {
  const [name = "", ...own] = args;
  const [, identifier, version] = /^([a-z\d][\w.-]*?)(?:(?:@|==)(.*))?$/i.exec(name) ?? [];
  return versioned({ registryType: "pypi", identifier, version, runtime: [], own }, "uvx");
}

/** A package with an exact version, or the latest one. */
function versioned(
  found: Omit<Found, "identifier" | "version"> & {
    identifier: string | undefined;
    version: string | undefined;
  },
  program: string,
): Found | { problem: string } {
  const { identifier, version = "latest", ...rest } = found;
  if (identifier === undefined)
    return { problem: `Its first argument is not a package, or it has options of ${program} itself.` };
  if (version === "latest") return { ...rest, identifier };
  if (!/^\d[\w.+-]*$/.test(version) || /(?:^|\.)[x*](?:\.|$)/i.test(version))
    return { problem: `"${version}" is not an exact version of its package.` };
  return { ...rest, identifier, version };
}

/** Clients of the form add `run -i --rm` and an `-e` for each variable. */
function readDocker(args: readonly string[], environment: readonly string[]): Found | { problem: string } {
  const problem = "It has options of docker itself, other than -i, --rm and -e for its own variables.";
  if (args[0] !== "run") return { problem };
  let at = 1;
  for (; args[at]?.startsWith("-"); at++) {
    const option = args[at]!;
    if (option === "-e" || option === "--env") {
      if (!environment.includes(args[++at] ?? "")) return { problem };
    } else if (!["-i", "--interactive", "--rm"].includes(option)) return { problem };
  }
  const image = args[at] ?? "";
  if (!/^[a-z\d][\w.-]*(?::\d+)?(?:\/[\w.-]+)*(?::[\w.-]+)?(?:@sha256:[\da-f]{64})?$/i.test(image))
    return { problem: `"${image.slice(0, 100)}" is not the name of an image.` };
  return { registryType: "oci", identifier: image, runtime: [], own: args.slice(at + 1) };
}
