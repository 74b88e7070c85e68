/**
 * Entries of remote servers as they are listed here: bounded, without invisible characters, and with known fields only.
 * Servers write these texts, and agents read them, so they are treated as hostile.
 */
import type {
  CallToolResult,
  ContentBlock,
  Prompt,
  Resource,
  ResourceTemplateType,
  Tool,
} from "@modelcontextprotocol/client";
import { hiddenCharacters } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import { cutAtWord } from "../../../contract/text/cut-text.ts";
import { offeredName, offeredUri } from "./names.ts";

const titleLength = 200;
const uriLength = 2000;
const maxArguments = 50;

/** A text without invisible characters, and cut. */
export function cleanText(text: string, characters: number): string {
  return cutAtWord(text.slice(0, characters * 4).replace(hiddenCharacters, ""), characters);
}

function described({ title, description }: { title?: string; description?: string }) {
  return {
    title: title === undefined ? undefined : cleanText(title, titleLength),
    description: description === undefined ? undefined : cleanText(description, limits.connectorDescription),
  };
}

/** A schema with clean texts; undefined if it is too long. Names and values stay, since calls need them unchanged. */
function boundSchema<S extends object>(schema: S): S | undefined {
  const text = JSON.stringify(schema);
  if (text.length > limits.connectorSchemaCharacters) return undefined;
  if (text.search(hiddenCharacters) < 0) return schema;
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === "string" && (key === "title" || key === "description")
      ? value.replace(hiddenCharacters, "")
      : value,
  ) as S;
}

/** A tool under its own name, as far as it is kept. */
export function boundTool(tool: Tool): Tool {
  const { annotations = {}, inputSchema, outputSchema } = tool;
  const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const hints = { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
  const output = outputSchema && boundSchema(outputSchema);
  return {
    name: tool.name,
    ...described(tool),
    inputSchema: boundSchema(inputSchema) ?? { type: "object" },
    outputSchema: output,
    annotations: {
      title: title === undefined ? undefined : cleanText(title, titleLength),
      ...Object.fromEntries(Object.entries(hints).filter(([, hint]) => hint !== undefined)),
    },
  };
}

export function offerTool(connector: string, tool: Tool): Tool {
  return { ...tool, name: offeredName(connector, tool.name) };
}

export function boundPrompt(prompt: Prompt): Prompt {
  return {
    name: prompt.name,
    ...described(prompt),
    arguments: (prompt.arguments ?? []).slice(0, maxArguments).map((argument) => ({
      name: cleanText(argument.name, titleLength),
      description:
        argument.description === undefined
          ? undefined
          : cleanText(argument.description, limits.connectorDescription),
      required: argument.required,
    })),
  };
}

export function offerPrompt(connector: string, prompt: Prompt): Prompt {
  return { ...prompt, name: offeredName(connector, prompt.name) };
}

/** Resources with overlong addresses are left out: a cut address would lead elsewhere. */
export function boundResource(resource: Resource): Resource[] {
  const { uri, name, mimeType, size } = resource;
  if (uri.length > uriLength) return [];
  return [
    {
      uri,
      name: cleanText(name, titleLength),
      ...described(resource),
      mimeType: mimeType === undefined ? undefined : cleanText(mimeType, titleLength),
      size,
    },
  ];
}

export function boundTemplate(template: ResourceTemplateType): ResourceTemplateType[] {
  const { uriTemplate, name, mimeType } = template;
  if (uriTemplate.length > uriLength) return [];
  return [
    {
      uriTemplate,
      name: cleanText(name, titleLength),
      ...described(template),
      mimeType: mimeType === undefined ? undefined : cleanText(mimeType, titleLength),
    },
  ];
}

/** A listed resource, or a content of one, under the address by which it can be read here. */
export function offerResource<R extends { uri: string }>(connector: string, resource: R): R {
  return { ...resource, uri: offeredUri(connector, resource.uri) };
}

export function offerTemplate(connector: string, template: ResourceTemplateType): ResourceTemplateType {
  return { ...template, uriTemplate: offeredUri(connector, template.uriTemplate) };
}

/** The result of a tool, with addresses of resources that can be read here. */
export function offerResult(connector: string, result: CallToolResult): CallToolResult {
  const { content, structuredContent, isError } = result;
  return {
    content: content.map((block) => offerContent(connector, block)),
    structuredContent,
    isError,
  };
}

/** A part of a result or prompt. */
export function offerContent<B extends ContentBlock>(connector: string, block: B): B {
  if (block.type === "resource_link") return { ...block, uri: offeredUri(connector, block.uri) };
  if (block.type !== "resource") return block;
  return { ...block, resource: { ...block.resource, uri: offeredUri(connector, block.resource.uri) } };
}
