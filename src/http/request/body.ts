/** Reads request bodies within a byte limit, as JSON or as the plain fields of a form. */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import busboy from "@fastify/busboy";
import { limits } from "../../../contract/limits.ts";
import { sizeText } from "../../../contract/text/size-text.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { faultOfShape } from "../input/json-shape.ts";

/**
 * Reads a JSON body, or takes the bytes of it that were read before. Throws `unsupported_media_type`,
 * `payload_too_large` or `invalid_request`.
 */
export async function readJson(
  request: IncomingMessage,
  read?: Buffer,
  limitBytes: number = limits.jsonBodyBytes,
): Promise<unknown> {
  const type = mediaType(request);
  if (type !== "application/json" && !type.endsWith("+json")) {
    if (!hasBody(request)) return undefined;
    throw new ServiceError(
      "unsupported_media_type",
      `The body must be application/json, not "${type || "untyped"}".`,
    );
  }
  const text = await readText(request, limitBytes, read);
  if (text.trim() === "") return undefined;
  const fault = faultOfShape(text);
  if (fault !== undefined) throw invalidRequest(`The JSON of the body ${fault}. Send less of it at a time.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON: ${(error as Error).message.replace(/\.?$/, ".")}`);
  }
}

interface FormOptions {
  formBytes?: number;
  /** Fields that may be repeated, which become lists of strings. */
  repeatable?: readonly string[];
  /** Refuses JSON. */
  isFormOnly?: boolean;
}

/** Reads JSON, or the fields of a form as an object of strings; files in a form are refused. */
export async function readJsonOrForm(
  request: IncomingMessage,
  { formBytes = limits.formBodyBytes, repeatable = [], isFormOnly = false }: FormOptions,
): Promise<unknown> {
  const type = mediaType(request);
  if (type === "application/x-www-form-urlencoded") {
    return fieldsOf(new URLSearchParams(await readText(request, formBytes)), repeatable);
  }
  if (type === "multipart/form-data") return fieldsOf(await readMultipart(request), repeatable);
  if (!isFormOnly) return readJson(request);
  if (!hasBody(request)) return {};
  throw invalidRequest(
    `Send the parameters as a form (application/x-www-form-urlencoded), not as "${type || "untyped"}".`,
  );
}

function mediaType(request: IncomingMessage): string {
  return (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
}

function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0
  );
}

/** Repeated fields keep the first value: a second value must not bypass the checks of the first. */
function fieldsOf(
  entries: Iterable<[string, string]>,
  repeatable: readonly string[],
): Record<string, string | string[]> {
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of entries) {
    const known = fields[name];
    if (!repeatable.includes(name)) fields[name] ??= value;
    else if (Array.isArray(known)) known.push(value);
    else fields[name] = [value];
  }
  return { ...fields };
}

async function readText(request: IncomingMessage, limitBytes: number, read?: Buffer): Promise<string> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes, announced);
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new ServiceError("unsupported_media_type", "The body must not be compressed.");
  }
  const bytes = read ?? (await readBytes(request, limitBytes));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest("The body is not valid UTF-8.");
  }
}

/** Reads a whole body. Throws `payload_too_large`. */
export async function readBytes(body: Readable, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not take the connection along, or a body that is too large gets no answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readMultipart(request: IncomingMessage): Promise<[string, string][]> {
  return new Promise((resolve, reject) => {
    const unreadable = () => reject(invalidRequest("The form could not be read."));
    const fields: [string, string][] = [];
    const parser = openParser(request);
    if (!parser) return unreadable();
    let size = 0;
    parser.on("field", (name: string, value: string, _nameTruncated: boolean, truncated: boolean) => {
      size += name.length + value.length;
      if (truncated || size > limits.formBodyBytes) reject(tooLarge(limits.formBodyBytes));
      else fields.push([name, value]);
    });
    parser.on("partsLimit", () => reject(invalidRequest("The form has too many fields.")));
    parser.on("error", unreadable);
    parser.on("finish", () => resolve(fields));
    // A caller that goes away in the middle ends no part, so the parser would wait for ever.
    request.once("close", unreadable);
    request.pipe(parser);
  });
}

/** Undefined where the content type lacks a usable boundary, which the parser throws on. */
function openParser(request: IncomingMessage): InstanceType<typeof busboy.Busboy> | undefined {
  try {
    return new busboy.Busboy({
      headers: request.headers as busboy.BusboyHeaders,
      limits: {
        files: 0,
        fields: limits.formFields,
        fieldSize: limits.formBodyBytes,
        parts: limits.formFields,
      },
    });
  } catch {
    return undefined;
  }
}

/** `bytes`: the size, if the sender announced it. */
export function tooLarge(limitBytes: number, bytes?: number): ServiceError {
  const actual = bytes === undefined ? "is larger than" : `has ${sizeText(bytes)}, over`;
  return new ServiceError("payload_too_large", `The body ${actual} ${sizeText(limitBytes)}.`, { limitBytes });
}
