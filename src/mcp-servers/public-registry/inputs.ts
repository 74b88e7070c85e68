/** Values of a configuration as inputs of the public registry's form. */
import { placeholdersIn, type McpMemberValue, type McpServerConfig } from "../../../contract/mcp-servers.ts";

/** An environment variable or header. Placeholders of variables have no meaning, as in the tools. */
export function valueOf(value: McpServerConfig["env"][number], config: McpServerConfig): object {
  if (value.kind === "member") return { name: value.name, ...inputOf(value) };
  const variables = config.transport === "stdio" ? {} : variablesOf(value.value, config);
  return { name: value.name, value: value.value, ...variables };
}

/** The values of members that fill the placeholders of a text. */
export function variablesOf(text: string, { variables, env }: McpServerConfig): object {
  const values = [...variables, ...env.filter((value) => value.kind === "member")];
  const used = placeholdersIn(text).flatMap((name) => values.find((value) => value.name === name) ?? []);
  if (used.length === 0) return {};
  return { variables: Object.fromEntries(used.map((value) => [value.name, inputOf(value)])) };
}

function inputOf({ name, label, description, required, secret, format }: McpMemberValue): object {
  const about = description === undefined || description === "" ? label : description;
  return {
    description: label === name || about === label ? about : `${label}: ${about}`,
    isRequired: required,
    isSecret: secret,
    format,
  };
}
