/** nginx and Caddy with TLS, by the files of `deploy/`, in which names and ports are those of a test. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../root.ts";
import { freePorts, startProgram } from "./program.ts";

export interface Proxy {
  /** Address of the service through the proxy. */
  url: string;
  /** Environment of programs that trust its certificate. */
  env: Record<string, string>;
  certificate: string;
  /** Ends it. */
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** For its files. */
  folder: string;
  /** Ports of the processes behind it. */
  targets: readonly number[];
  /** Changes the file of `deploy/`. */
  edit?: (text: string) => string;
}

export interface ReservedProxy {
  url: string;
  start(options: ProxyOptions): Promise<Proxy>;
}

/**
 * A proxy with a free port, which the service has to know before it starts.
 *
 * @param options `isPlain`: the file is changed to one without TLS
 */
export async function reserveProxy(
  kind: "nginx" | "Caddy",
  { isPlain = false }: { isPlain?: boolean } = {},
): Promise<ReservedProxy> {
  const [port, plain] = (await freePorts(2)) as [number, number];
  const url = isPlain ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  return {
    url,
    async start({ folder, targets, edit = (text) => text }) {
      mkdirSync(folder, { recursive: true });
      const [cert, key] = makeCertificate(folder);
      const close =
        kind === "nginx"
          ? await startNginx(folder, { port, plain, targets, cert, key, edit })
          : await startCaddy(folder, { port, targets, cert, key, edit });
      return { url, env: { NODE_EXTRA_CA_CERTS: cert, GIT_SSL_CAINFO: cert }, certificate: cert, close };
    },
  };
}

/** A certificate of `localhost` that it signed itself, and its key. */
export function makeCertificate(folder: string): [cert: string, key: string] {
  const [cert, key] = [path.join(folder, "cert.pem"), path.join(folder, "key.pem")];
  const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  const names = ["-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", ...made, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return [cert, key];
}

interface Given {
  port: number;
  targets: readonly number[];
  cert: string;
  key: string;
  edit: (text: string) => string;
}

function startNginx(folder: string, { port, plain, targets, cert, key, edit }: Given & { plain: number }) {
  const site = edit(readFileSync(path.join(root, "deploy/nginx.conf"), "utf8"))
    .replaceAll(/^ *listen \[.*\n/gm, "")
    .replace("listen 80;", `listen 127.0.0.1:${plain};`)
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replace(/server 127\.0\.0\.1:3000(.*;)/, (_, options: string) =>
      targets.map((target) => `server 127.0.0.1:${target}${options}`).join(" "),
    )
    .replaceAll("skills.example.com;", "localhost;")
    .replace("/etc/ssl/certs/skills.example.com.pem", cert)
    .replace("/etc/ssl/private/skills.example.com.key", key);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const file = path.join(folder, "main.conf");
  writeFileSync(
    file,
    `daemon off; pid nginx.pid; error_log stderr; worker_processes 1; events {}
    http { access_log off; ${temporary.map((name) => `${name}_temp_path ${name};`).join(" ")} ${site} }`,
  );
  return startProgram("nginx", ["-p", folder, "-c", file], { folder, port });
}

function startCaddy(folder: string, { port, targets, cert, key, edit }: Given) {
  const site = edit(readFileSync(path.join(root, "deploy/Caddyfile"), "utf8")).replace(
    /^(\{\$SITE:.*\}) \{$/m,
    `$1 {\n\ttls ${cert} ${key}`,
  );
  const file = path.join(folder, "Caddyfile");
  writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n${site}`);
  const env = {
    SITE: `https://localhost:${port}`,
    UPSTREAMS: targets.map((target) => `127.0.0.1:${target}`).join(" "),
  };
  return startProgram("caddy", ["run", "--config", file, "--adapter", "caddyfile"], { folder, port, env });
}
