import { Reply, type RequestInfo } from "../../http/route.ts";
import { notModified } from "../../http/service/conditional.ts";
import { drawingPolicy } from "../../http/service/security.ts";
import { svgType, type OpenedVersionFile } from "./content.ts";

/** The response with one file, which browsers show only if that executes nothing. `headers`: those for caches. */
export function fileReply(
  request: RequestInfo,
  file: OpenedVersionFile,
  path: string,
  headers: Readonly<Record<string, string>>,
): Reply {
  // The ETag is the blob's id: a file that is the same in two versions is sent once.
  const ownHeaders = { ...headers, etag: `"${file.oid}"` };
  const unmodified = notModified(request, ownHeaders);
  if (unmodified) {
    if (!Buffer.isBuffer(file.body)) file.body.destroy();
    return unmodified;
  }
  const isShown = file.type.startsWith("text/") || file.type.startsWith("image/");
  const name = encodeURIComponent(path.split("/").at(-1)!);
  return new Reply(file.body, {
    type: file.type,
    headers: {
      ...ownHeaders,
      ...(file.type === svgType ? { "content-security-policy": drawingPolicy } : {}),
      "content-length": String(file.size),
      "content-disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${name}`,
    },
  });
}
