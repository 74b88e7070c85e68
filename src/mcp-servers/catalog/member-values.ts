/** Inputs of a registry's server as values that members supply. */
import { toOneLine } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import { placeholdersIn, type McpMemberValue, type McpServerConfig } from "../../../contract/mcp-servers.ts";
import type { RegistryInput, RegistryKeyValue } from "./registry-schema.ts";

/** Thrown for a server that can't be a configuration here. The message is shown. */
export class Inconvertible extends Error {}

/** Collects the values of members that placeholders need. */
export class MemberValues {
  readonly list: McpMemberValue[] = [];

  /** A text in which placeholders with a fixed value are filled in, and the others become values of members. */
  fill(template: string, variables: Readonly<Record<string, RegistryInput>>, isRequired: boolean): string {
    let filled = template;
    for (const name of placeholdersIn(template)) {
      const variable = Object.hasOwn(variables, name) ? variables[name]! : {};
      if (variable.value !== undefined) filled = filled.replaceAll(`{${name}}`, () => variable.value!);
      else if (!this.list.some((value) => value.name === name))
        this.list.push(memberValue(name, variable, isRequired));
    }
    return filled;
  }

  /** A variable or header. Only headers may have placeholders. */
  valueOf(input: RegistryKeyValue, mayFill: boolean): McpServerConfig["env"][number] {
    const { name, value, variables = {}, isRequired = false } = input;
    if (value === undefined) return memberValue(name, input, isRequired);
    if (mayFill) return { name, kind: "fixed", value: this.fill(value, variables, isRequired) };
    if (placeholdersIn(value).length > 0) return memberValue(name, input, isRequired);
    return { name, kind: "fixed", value };
  }
}

function memberValue(name: string, input: RegistryInput, isRequired: boolean): McpMemberValue {
  if (name.length > limits.mcpValueName) throw new Inconvertible("A value has a name that is too long.");
  const { description = "", isSecret = false, format } = input;
  const preset = input.default === undefined || isSecret ? "" : `Default: ${input.default}`;
  const about = toOneLine([description, preset].filter((part) => part !== "").join(" "));
  return {
    name,
    kind: "member",
    label: name,
    description: about === "" ? undefined : toOneLine(about.slice(0, limits.mcpValueDescription)),
    secret: isSecret,
    required: isRequired,
    format: format === undefined || format === "string" ? undefined : format,
  };
}
