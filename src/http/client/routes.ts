/** svc, the command-line client, and the typed client of the API, as this service offers them to anyone. */
import { z } from "zod";
import { ClientPayload } from "../../../contract/payloads/service/client.ts";
import { ServiceError } from "../../errors.ts";
import type { Release } from "../../release.ts";
import { Reply, routesOf, type RequestInfo, type Route } from "../route.ts";
import { cacheHeaders, notModified } from "../service/conditional.ts";
import { installerFor } from "./install-command.ts";
import { type ClientPackage, readClientPackage, sha256Of } from "./package.ts";

const route = routesOf({ tag: "Operation", auth: "none" });

/** `release`: of the service, and so of the client that is made from the same sources. */
export function clientRoutes(release: Release): Route[] {
  return [
    route({
      method: "get",
      path: "/api/client",
      id: "getClient",
      summary: "The version of svc, the command-line client, that goes with this service, and its package",
      data: ClientPayload,
      async handle() {
        const files = await readClientPackage();
        return {
          ...release,
          package: files ? { sha256: files.sha256, size: files.bytes.length } : undefined,
        };
      },
    }),
  ];
}

export function clientPackageRoutes(
  version: string,
  baseUrl: () => string,
  read = readClientPackage,
): Route[] {
  // At the start, since a build of another version may replace it while this process runs.
  read().catch(() => undefined);
  return [
    route({
      method: "get",
      path: "/cli/:file",
      summary: "The npm packages of svc and of the API client, their checksums, and the installer of svc",
      auth: "optional",
      params: z.object({ file: z.string().max(200) }),
      produces: "application/gzip",
      async handle({ params: { file }, request }) {
        const files = await read();
        if (!files)
          throw missing(
            file,
            "This service was built without the package of svc. Its operator can add it: npm run build.",
          );
        const served =
          file === "install.sh" ? installer(files, baseUrl()) : packageFile(file, files, version);
        if (!served)
          throw missing(file, `There is nothing at /cli/${file}: this service has svc ${version}.`);
        return reply(request, served);
      },
    }),
  ];
}

interface ServedFile {
  body: Buffer | string;
  type: string;
  etag: string;
  /** The content never changes under its name. */
  fixed: boolean;
  headers?: Record<string, string>;
}

/** Plain text, so that browsers show it. */
const textType = "text/plain; charset=utf-8";

function installer(files: ClientPackage, baseUrl: string): ServedFile {
  const body = installerFor(baseUrl, files.installer);
  return { body, type: textType, etag: sha256Of(body), fixed: false };
}

/**
 * The checksum names the versioned file, so that a download during an upgrade of the service gets both of one version.
 */
function packageFile(file: string, files: ClientPackage, version: string): ServedFile | undefined {
  const name = file.replace(/\.sha256$/, "");
  const product = name.startsWith("svc-client") ? "svc-client" : "svc";
  const { bytes, sha256 } = product === "svc" ? files : files.api;
  const versioned = `${product}-${version}.tgz`;
  if (name !== `${product}.tgz` && name !== versioned) return undefined;
  const fixed = name === versioned;
  if (file !== name)
    return { body: `${sha256}  ${versioned}\n`, type: textType, etag: `${sha256}-sum`, fixed };
  const headers = { "content-disposition": `attachment; filename="${versioned}"` };
  return { body: bytes, type: "application/gzip", etag: sha256, fixed, headers };
}

function reply(request: RequestInfo, { body, type, etag, fixed, headers }: ServedFile): Reply {
  const caching = cacheHeaders(etag, { fixed, shared: true });
  return notModified(request, caching) ?? new Reply(body, { type, headers: { ...caching, ...headers } });
}

const missing = (file: string, message: string) =>
  new ServiceError("not_found", message, { kind: "path", ref: `/cli/${file}` });
