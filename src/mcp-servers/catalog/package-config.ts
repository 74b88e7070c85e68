/** A package of a registry as the command line that runs it. */
import { limits } from "../../../contract/limits.ts";
import type { McpServerConfig } from "../../../contract/mcp-servers.ts";
import { Inconvertible, MemberValues } from "./member-values.ts";
import type { RegistryArgument, RegistryPackage } from "./registry-schema.ts";

interface Runner {
  command: string;
  /** Names of packages: no address, path or option. */
  names: RegExp;
  /** Registries that the program uses without being told. */
  bases: readonly string[];
  /** `environment` has the names of the variables that the server gets. */
  args: (pack: RegistryPackage, environment: readonly string[]) => string[];
}

const versioned = ({ identifier, version }: RegistryPackage, separator: string) =>
  version === undefined || version === "" ? identifier : `${identifier}${separator}${version}`;

const runners: Readonly<Record<string, Runner>> = {
  npm: {
    command: "npx",
    names: /^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*$/i,
    bases: ["https://registry.npmjs.org"],
    args: (pack) => ["-y", versioned(pack, "@")],
  },
  pypi: {
    command: "uvx",
    names: /^[a-z\d][\w.-]*$/i,
    bases: ["https://pypi.org"],
    args: (pack) => [versioned(pack, "@")],
  },
  oci: {
    command: "docker",
    names: /^[a-z\d][\w.-]*(?::\d+)?(?:\/[\w.-]+)*(?::[\w.-]+)?(?:@sha256:[\da-f]{64})?$/i,
    bases: ["https://docker.io", "https://ghcr.io"],
    args: (pack, environment) => [
      "run",
      "-i",
      "--rm",
      ...environment.flatMap((name) => ["-e", name]),
      /[:@]/.test(pack.identifier.slice(pack.identifier.lastIndexOf("/")))
        ? pack.identifier
        : versioned(pack, ":"),
    ],
  },
};

/** Arguments of the program itself are not taken over: they could give the server more rights on the machine. */
export function packageConfig(pack: RegistryPackage): { config: McpServerConfig; origin: string } {
  const { registryType, registryBaseUrl, identifier, runtimeArguments = [] } = pack;
  const runner = Object.hasOwn(runners, registryType) ? runners[registryType]! : undefined;
  if (!runner) throw new Inconvertible(`Packages of the type "${registryType}" can't be imported.`);
  const base = registryBaseUrl?.replace(/\/+$/, "");
  if (base !== undefined && !runner.bases.includes(base))
    throw new Inconvertible(`Its package is in another registry than ${runner.bases[0]}.`);
  if (!runner.names.test(identifier) || !/^[\w.+-]*$/.test(pack.version ?? ""))
    throw new Inconvertible("Its package has a name or version that is not valid.");
  if (runtimeArguments.some((argument) => !isImplied(argument)))
    throw new Inconvertible(`It needs arguments of ${runner.command} itself: register it by hand.`);
  const values = new MemberValues();
  const environment = pack.environmentVariables ?? [];
  const own = (pack.packageArguments ?? []).flatMap((argument) => argumentTexts(argument, values));
  const args = [
    ...runner.args(
      pack,
      environment.map(({ name }) => name),
    ),
    ...own,
  ];
  if (args.length > limits.mcpArguments) throw new Inconvertible("It has too many arguments.");
  const config: McpServerConfig = {
    transport: "stdio",
    command: runner.command,
    args,
    env: environment.map((variable) => values.valueOf(variable, false)),
    headers: [],
    variables: values.list,
  };
  return { config, origin: `stdio ${runner.command} ${identifier.replace(/(?:@sha256)?:[^/]*$/, "")}` };
}

/** `-y` of npx and the standard arguments of docker are part of every command line here. */
function isImplied({ name, value, variables }: RegistryArgument): boolean {
  const words = [name, value].filter((word) => word !== undefined && word !== "").join(" ");
  return variables === undefined && /^(?:-y|--yes|run|-i|--interactive|--rm)?$/.test(words);
}

/** The words of an argument. One that members may leave out is left out, since each placeholder has to be filled in. */
function argumentTexts(argument: RegistryArgument, values: MemberValues): string[] {
  const { type, name, value, valueHint, variables = {}, isRequired = false } = argument;
  if (value === undefined && !isRequired) return [];
  const placeholder = (name ?? valueHint ?? "value").replaceAll(/^-+/g, "").replaceAll(/[^\w.-]+/g, "_");
  const key = /^[A-Za-z_]/.test(placeholder) ? placeholder : `value_${placeholder}`;
  const text =
    value === undefined
      ? values.fill(`{${key}}`, { [key]: argument }, true)
      : values.fill(value, variables, true);
  return type === "named" && name !== undefined && name !== "" ? [name, text] : [text];
}
