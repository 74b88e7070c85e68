/** Prompts of the surface, with completion of their arguments. */
import { ProtocolError, ProtocolErrorCode, type McpServer } from "@modelcontextprotocol/server";
import type { Call, CallServices } from "../call.ts";
import { failureOf, protocolFailure } from "../failures.ts";
import type { Prompt, Surface } from "./surface.ts";

const maxCompletions = 100;

export function addPrompts(
  { server }: McpServer,
  { prompts }: Surface,
  call: Call,
  services: CallServices,
): void {
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      call.signal.throwIfAborted();
      await call.spend("search");
      return await work();
    } catch (thrown) {
      throw protocolFailure(failureOf(thrown, call, services), call.requestId);
    }
  };
  server.setRequestHandler("prompts/list", () => ({ prompts: prompts.map(describePrompt) }));
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const prompt = findPrompt(prompts, params.name);
    const given = params.arguments ?? {};
    const absent = prompt.arguments.find(({ name, required }) => required && !given[name]);
    if (absent)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The prompt ${prompt.name} needs "${absent.name}": ${absent.description}.`,
      );
    const text = await guarded(() => prompt.render(call.actor, given));
    return {
      description: prompt.description,
      messages: [{ role: "user", content: { type: "text", text } }],
    };
  });
  server.setRequestHandler("completion/complete", async ({ params }) => {
    const { ref, argument } = params;
    if (ref.type !== "ref/prompt") return { completion: { values: [] } };
    const prompt = findPrompt(prompts, ref.name);
    const known = prompt.arguments.find(({ name }) => name === argument.name);
    const { complete } = known ?? {};
    if (!complete) return { completion: { values: [] } };
    const values = await guarded(() => complete(call.actor, argument.value));
    return { completion: { values: values.slice(0, maxCompletions), hasMore: false } };
  });
}

function describePrompt({ name, title, description, arguments: known }: Prompt) {
  return {
    name,
    title,
    description,
    arguments: known.map((one) => ({
      name: one.name,
      description: one.description,
      required: one.required,
    })),
  };
}

function findPrompt(prompts: readonly Prompt[], name: string): Prompt {
  const found = prompts.find((prompt) => prompt.name === name);
  if (found) return found;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no prompt ${JSON.stringify(name.slice(0, 100))}: prompts/list has the names.`,
  );
}
