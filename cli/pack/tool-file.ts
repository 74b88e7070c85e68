/** Rule files of tools: of their frontmatter, only name and description apply to other tools. */
import path from "node:path";
import { lostRuleKeys, ruleKeys } from "../../contract/rule-keys.ts";
import { machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";
import { yamlText } from "../targets/render.ts";
import { splitFence } from "./frontmatter.ts";

/** Whether a file is in a tool's folder of rules, or has a name that only its rules have. */
export function isToolFile(file: string): boolean {
  if (/\.mdc$|\.instructions\.md$/.test(file)) return true;
  const machine = machineOf({ home: path.sep, env: {}, platform: process.platform });
  return targetDefinitions
    .flatMap(({ sources }) => sources({ ...machine, scope: "project", projectDir: path.sep }).files)
    .some(({ folder, type }) => type === "rule" && file.includes(folder + path.sep));
}

/**
 * The text with only those keys in its frontmatter that other tools can get, or without frontmatter if it has none of
 * them. `lost`: the keys that were left out.
 */
export async function withoutToolKeys(text: string): Promise<{ text: string; lost: string[] }> {
  const split = splitFence(text);
  if (split === undefined) return { text, lost: [] };
  const body = split.body.replace(/^(?:[ \t]*\r?\n)+/, "");
  const fields = (await readFields(split.yaml)) ?? readLines(split.yaml);
  const head = ["name", "description", ...ruleKeys].flatMap((key) => {
    const value = fields.get(key);
    if (typeof value === "boolean") return [`${key}: ${value}`];
    if (Array.isArray(value)) return [`${key}: [${value.map(yamlText).join(", ")}]`];
    const line = value?.replace(/\s+/g, " ").trim() ?? "";
    return line === "" ? [] : [`${key}: ${yamlText(line)}`];
  });
  return {
    text: head.length === 0 ? body : `---\n${head.join("\n")}\n---\n\n${body}`,
    lost: lostRuleKeys(fields.keys()),
  };
}

type Fields = Map<string, string | boolean | string[]>;

async function readFields(yaml: string): Promise<Fields | undefined> {
  const { isMap } = await import("yaml");
  const { YamlLimitError, parseYaml } = await import("../../contract/yaml.ts");
  let document: ReturnType<typeof parseYaml>;
  try {
    document = parseYaml(yaml, { schema: "core", uniqueKeys: false, logLevel: "silent" });
  } catch (error) {
    if (error instanceof YamlLimitError) return undefined;
    throw error;
  }
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  let value: Record<string, unknown>;
  try {
    value = document.toJS({ maxAliasCount: 0 }) as Record<string, unknown>;
  } catch {
    // Aliases are not supported.
    return undefined;
  }
  return new Map(Object.entries(value).map(([key, given]) => [key, fieldOf(given)]));
}

function fieldOf(value: unknown): string | boolean | string[] {
  if (Array.isArray(value))
    return value.filter((item) => ["string", "number"].includes(typeof item)).map(String);
  if (typeof value === "boolean") return value;
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Cursor's frontmatter is not valid YAML if a glob begins with a star. */
function readLines(yaml: string): Fields {
  return new Map(
    yaml.split(/\r?\n/).flatMap((line): [string, string | boolean][] => {
      const [, key, text] = /^(\w+):(.*)$/.exec(line) ?? [];
      if (key === undefined) return [];
      const value = text!.trim().replace(/^(["'])(.*)\1$/, "$2");
      return [[key, value === "true" ? true : value === "false" ? false : value]];
    }),
  );
}
