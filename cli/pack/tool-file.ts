/** Rule files of tools: of their frontmatter, only name and description apply to other tools. */
import path from "node:path";
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

/** The text with only name and description in its frontmatter, or without frontmatter if it has neither. */
export async function withoutToolKeys(text: string): Promise<string> {
  const split = splitFence(text);
  if (split === undefined) return text;
  const body = split.body.replace(/^(?:[ \t]*\r?\n)+/, "");
  const fields = (await readFields(split.yaml)) ?? readLines(split.yaml);
  const head = ["name", "description"].flatMap((key) => {
    const value = fields.get(key)?.replace(/\s+/g, " ").trim() ?? "";
    return value === "" ? [] : [`${key}: ${yamlText(value)}`];
  });
  return head.length === 0 ? body : `---\n${head.join("\n")}\n---\n\n${body}`;
}

async function readFields(yaml: string): Promise<Map<string, string> | undefined> {
  const { isMap, isScalar } = await import("yaml");
  const { YamlLimitError, parseYaml } = await import("../../contract/yaml.ts");
  let document: ReturnType<typeof parseYaml>;
  try {
    document = parseYaml(yaml, { schema: "core", uniqueKeys: false, logLevel: "silent" });
  } catch (error) {
    if (error instanceof YamlLimitError) return undefined;
    throw error;
  }
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  return new Map(
    document.contents.items.flatMap(({ key, value }) =>
      isScalar(key) && isScalar(value) && ["string", "number"].includes(typeof value.value)
        ? [[String(key.value), String(value.value)]]
        : [],
    ),
  );
}

/** Cursor's frontmatter is not valid YAML if a glob begins with a star. */
function readLines(yaml: string): Map<string, string> {
  return new Map(
    yaml.split(/\r?\n/).flatMap((line) => {
      const match = /^(name|description):(.*)$/.exec(line);
      return match === null ? [] : [[match[1]!, match[2]!.trim().replace(/^(["'])(.*)\1$/, "$2")]];
    }),
  );
}
