/** Runs `svc` in the test's process, in a home of its own, against a registry of the test. */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import yazl from "yazl";
import { run } from "../../cli/run.ts";
import { canonicalContent } from "../../contract/checks/package-rules.ts";
import type { ScanPayload } from "../../contract/payloads/skills/scans.ts";
import { keepContract, keepFailure, payloadNameOf } from "../support/cli-contract.ts";
import { collector } from "../support/cli-inside.ts";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** The JSON document on stdout. */
  data: unknown;
  /** The error object on stderr. */
  error: { code: string; message: string; details?: Record<string, unknown> };
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "svc-cli-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Pauses of the client end at once, so that retries take no time. */
export async function svc(
  argv: readonly string[],
  options: {
    home: string;
    cwd?: string;
    env?: NodeJS.ProcessEnv;
    platform?: NodeJS.Platform;
    waits?: number[];
    /** Runs in each pause of the client. */
    onWait?: () => Promise<void>;
  },
): Promise<Ran> {
  const [stdout, stderr] = [collector(), collector()];
  const code = await run(argv, {
    env: options.env ?? {},
    cwd: options.cwd ?? options.home,
    home: options.home,
    platform: options.platform ?? "linux",
    isTyped: () => false,
    stdout: stdout.stream,
    stderr: stderr.stream,
    now: () => new Date("2026-01-02T03:04:05.678Z"),
    async sleep(ms) {
      options.waits?.push(ms);
      await options.onWait?.();
    },
  });
  if (argv.join(" ").includes("-o json")) {
    // The login in the browser prints lines of its own.
    if (stdout.text() !== "" && argv[0] !== "login") {
      const document: unknown = JSON.parse(stdout.text());
      keepContract(payloadNameOf(argv, document), document);
    }
    if (stderr.text() !== "") keepFailure(JSON.parse(stderr.text()), `svc ${argv.join(" ")}`);
  }
  return {
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
    get data() {
      return JSON.parse(stdout.text()) as unknown;
    },
    get error() {
      return (JSON.parse(stderr.text()) as { error: Ran["error"] }).error;
    },
  };
}

export type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

/** A server on a free port of this machine; closed after the test. */
export async function startServer(t: TestContext, handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    void Promise.resolve(handler(request, response, new URL(request.url!, "http://x"))).catch(
      (error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      },
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");

interface StubVersion {
  semver: string;
  /** The body of a text skill. */
  body?: string;
  /** Everything before the body in the version's SKILL.md. */
  frontmatter?: string;
  /** The files of a package. */
  files?: Record<string, { data: string; mode?: "100644" | "100755" }>;
  /** Advice of the publisher against it. */
  warnings?: string[];
  scan?: Pick<ScanPayload, "state" | "verdict" | "rules">;
}

export interface StubSkill {
  slug: string;
  publicId: string;
  name: string;
  description?: string;
  type?: "skill" | "rule";
  /** The organization that publishes it; by default "acme", one of the user's own. */
  publisher?: { tenantId: string; tenantSlug: string };
  versions: StubVersion[];
}

/** A registry that serves the given skills; `intercept` may handle a request first, and then returns true. */
export async function startRegistry(
  t: TestContext,
  skills: StubSkill[],
  intercept?: (request: IncomingMessage, response: ServerResponse, url: URL) => boolean,
): Promise<string> {
  return startServer(t, async (request, response, url) => {
    if (intercept?.(request, response, url) === true) return;
    const [, , , id, part, number] = url.pathname.split("/");
    const ref = id === "resolve" ? url.searchParams.get("ref")! : id!;
    const skill = skills.find(
      (one) =>
        one.publicId === ref ||
        (one.slug === ref && one.publisher === undefined) ||
        `${one.publisher?.tenantSlug ?? "acme"}/${one.slug}` === ref,
    );
    if (skill === undefined)
      return answer(response, 404, {
        success: false,
        error: `No skill "${ref}".`,
        code: "not_found",
        requestId: "r",
      });
    const spec = url.searchParams.get("version") ?? "latest";
    const index =
      spec === "latest"
        ? skill.versions.length - 1
        : skill.versions.findIndex(
            (one, i) =>
              one.semver === spec ||
              String(i + 1) === spec ||
              (spec.startsWith("^") && one.semver.startsWith(spec.slice(1, 2))),
          );
    const version = skill.versions[index];
    if (version === undefined)
      return answer(response, 404, {
        success: false,
        error: "No such version.",
        code: "not_found",
        requestId: "r",
      });
    const data = (value: unknown) => answer(response, 200, { success: true, data: value });
    const payload = payloads(skill, index);
    if (id === "resolve")
      return data({
        skill: payload.skill,
        version: payload.version,
        own: skill.publisher === undefined,
        warnings: version.warnings,
      });
    if (part === "content") {
      const { body: content, frontmatter } = version;
      return data({ ...payload, content, frontmatter, version: index + 1 });
    }
    if (part === "versions" && url.pathname.endsWith("/scan")) {
      const { scan } = skill.versions[Number(number) - 1]!;
      if (scan !== undefined) return data(scan);
    }
    if (part === "manifest") return data(payload.manifest);
    if (part === "package") {
      const zip = await zipOf(version.files!);
      response.writeHead(200, { "content-type": "application/zip", "content-length": String(zip.length) });
      return void response.end(zip);
    }
    return answer(response, 404, {
      success: false,
      error: "No such path.",
      code: "not_found",
      requestId: "r",
    });
  });
}

function payloads(stub: StubSkill, index: number) {
  const version = stub.versions[index]!;
  const files = Object.entries(version.files ?? {}).map(([path, { data, mode }]) => ({
    path,
    size: Buffer.byteLength(data),
    sha256: sha256(data),
    mode: mode ?? ("100644" as const),
  }));
  const format = version.files === undefined ? "markdown" : "package";
  const hash = version.files === undefined ? sha256(version.body!) : sha256(canonicalContent(files));
  const at = "2026-01-01T00:00:00.000Z";
  const skill = {
    id: `id-${stub.publicId}`,
    publicId: stub.publicId,
    slug: stub.slug,
    name: stub.name,
    description: stub.description ?? "What it does",
    type: stub.type ?? "skill",
    visibility: "private",
    tags: [],
    currentVersion: stub.versions.length,
    currentSemver: stub.versions.at(-1)!.semver,
    format,
    ...(stub.publisher ?? { tenantId: "t1", tenantSlug: "acme" }),
    folderId: null,
    createdBy: "u1",
    createdAt: at,
    updatedAt: at,
  };
  return {
    skill,
    version: {
      id: `v${index + 1}`,
      skillId: skill.id,
      version: index + 1,
      semver: version.semver,
      message: "",
      format,
      prerelease: false,
      current: true,
      commit: "0123456789abcdef0123456789abcdef01234567",
      hash,
      frontmatterHash: version.frontmatter === undefined ? undefined : sha256(version.frontmatter),
      author: null,
      createdAt: at,
    },
    manifest: {
      name: stub.slug,
      description: "",
      version: index + 1,
      semver: version.semver,
      format,
      commit: "0123456789abcdef0123456789abcdef01234567",
      hash,
      files,
    },
    hash,
  };
}

export async function zipOf(files: Record<string, { data: string; mode?: string }>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [path, { data, mode }] of Object.entries(files))
    zip.addBuffer(Buffer.from(data), path, { mode: mode === "100755" ? 0o100755 : 0o100644 });
  zip.end();
  return buffer(zip.outputStream);
}
