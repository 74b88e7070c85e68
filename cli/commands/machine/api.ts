import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { parseBody } from "../../api/call.ts";
import type { HttpRequest } from "../../api/http.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { invalidArgument, messageOf } from "../../errors.ts";
import { openSession } from "../../state/session.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export const api = defineCommand({
  positionals: {
    method: { required: true, choices: methods, description: methods.join(", ") },
    path: { required: true, description: "A path of the service that starts with /api/" },
  },
  flags: {
    field: {
      value: "required",
      hint: "key=value",
      multiple: true,
      description: "A text field of the JSON body, or of the query of a GET; repeatable",
    },
    input: {
      value: "required",
      hint: "file|-",
      completes: "path",
      description: "A file with the JSON body; - reads the standard input",
    },
  },
  exclusive: [["field", "input"]],
  examples: [
    "svc api GET /api/user/profile",
    "svc api GET /api/explore --field query=review",
    "svc api POST /api/skills/CvfcCtijJl/revert --field version=1.2.0",
    "svc api POST /api/skills --input skill.json -o json",
  ],
  async run(context, args) {
    const method = methods.find((one) => one === args.method);
    if (method === undefined) throw invalidArgument("<method>", `Use one of ${methods.join(", ")}.`);
    if (method === "GET" && args.input !== undefined)
      throw invalidArgument("--input", "A GET has no body: pass the query with --field.");
    const { client, apiUrl } = await openSession(context);
    checkPath(apiUrl, args.path);
    const fields = parseFields(args.field);
    const body =
      args.input === undefined
        ? method === "GET" || fields.length === 0
          ? undefined
          : JSON.stringify(Object.fromEntries(fields))
        : await readInput(context, args.input);
    const query = method === "GET" && fields.length > 0 ? new URLSearchParams(fields).toString() : "";
    const request: HttpRequest = {
      method,
      url: query === "" ? args.path : `${args.path}${args.path.includes("?") ? "&" : "?"}${query}`,
      ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
    };
    const response = await client.plain(request);
    const parsed = parseBody(response);
    return {
      data: parsed ?? (response === "" ? null : response),
      text: parsed === undefined ? response : JSON.stringify(parsed, undefined, 2),
    };
  },
});

/** Refuses every address except paths of the service's API. */
function checkPath(apiUrl: string, path: string): void {
  const base = new URL(apiUrl);
  const isPlain = path.startsWith("/api/") && !/[\\#\s\p{Cc}]/u.test(path) && URL.canParse(apiUrl + path);
  const url = isPlain ? new URL(apiUrl + path) : undefined;
  // "/api/../x" leads out of the API.
  const prefix = `${base.pathname.replace(/\/$/, "")}/api/`;
  if (url?.origin === base.origin && url.pathname.startsWith(prefix)) return;
  throw invalidArgument(
    "<path>",
    `"${path}" is not a path of the service's API. Use one that starts with /api/, such as /api/skills.`,
  );
}

function parseFields(texts: readonly string[]): [string, string][] {
  return texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw invalidArgument("--field", `"${text}" is not a field. Use --field key=value.`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

async function readInput(context: Context, file: string): Promise<string> {
  let body: string;
  try {
    body = file === "-" ? await readAll(process.stdin) : await readFile(resolve(context.cwd, file), "utf8");
  } catch (error) {
    throw invalidArgument("--input", `${file} can't be read: ${messageOf(error)}.`);
  }
  if (parseBody(body) === undefined)
    throw invalidArgument(
      "--input",
      `${file === "-" ? "The standard input" : file} is not a JSON object or list.`,
    );
  return body;
}
