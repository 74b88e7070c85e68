/**
 * Squid as a company runs it: with a password, names of its own, and certificates that it signs itself in place of the
 * servers', except for `plain.company.test`, whose connections it only tunnels.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { removeFolder } from "../server.ts";
import { findProgram, freePorts, startProgram, whyMissing } from "./program.ts";

export interface Squid {
  /** The proxy's address without credentials. */
  url: string;
  user: string;
  password: string;
  /** Certificates that a client has to trust: the proxy's and the one of `serverCertificate`. */
  authorities: string;
  /** The log: a line for each connection and request. */
  log(): string;
  close(): Promise<void>;
}

const helpers = "/usr/lib/squid";

/** Debian's package without OpenSSL signs no certificates. */
export function whyNoSquid(): string | undefined {
  const missing = whyMissing("squid", "openssl");
  if (missing !== undefined) return missing;
  const version = spawnSync(findProgram("squid")!, ["-v"], { encoding: "utf8" }).stdout;
  return version.includes("--with-openssl") ? undefined : "install squid-openssl to run these tests";
}

export interface ServerCertificate {
  key: string;
  cert: string;
}

/** Makes a certificate; one that is its own authority can sign others. */
export function makeCertificate(
  folder: string,
  name: string,
  extensions: readonly string[],
): ServerCertificate {
  const [key, cert] = [path.join(folder, `${name}.key`), path.join(folder, `${name}.crt`)];
  const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${name}`];
  const added = extensions.flatMap((extension) => ["-addext", extension]);
  execFileSync("openssl", ["req", ...made, ...added, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

/** Starts it in front of servers of this machine with these names, which no other name server knows. */
export async function startSquid(names: readonly string[], server: ServerCertificate): Promise<Squid> {
  // Squid gives up the rights of root, and may not enter the folder of a run of tests.
  const folder = mkdtempSync("/tmp/svc-squid-");
  const [port] = (await freePorts(1)) as [number];
  const [user, password] = ["service", "p@ss:word"];
  const file = (name: string, text?: string) => {
    const full = path.join(folder, name);
    if (text !== undefined) writeFileSync(full, text);
    return full;
  };
  const usage = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"];
  const authority = makeCertificate(folder, "authority", usage);
  const hash = execFileSync("openssl", ["passwd", "-apr1", password], { encoding: "utf8" });
  execFileSync(`${helpers}/security_file_certgen`, ["-c", "-s", file("certificates"), "-M", "4MB"], {
    stdio: "ignore",
  });
  const settings = `
    http_port 127.0.0.1:${port} ssl-bump cert=${file("bump.pem", authority.cert + authority.key)} generate-host-certificates=on dynamic_cert_mem_cache_size=1MB
    sslcrtd_program ${helpers}/security_file_certgen -s ${file("certificates")} -M 4MB
    sslcrtd_children 1 startup=1 idle=1
    acl beginning at_step SslBump1
    acl plain ssl::server_name plain.company.test
    ssl_bump peek beginning
    ssl_bump splice plain
    ssl_bump bump all
    tls_outgoing_options cafile=${file("server.crt", server.cert)}
    hosts_file ${file("hosts", names.map((name) => `127.0.0.1 ${name}\n`).join(""))}
    auth_param basic program ${helpers}/basic_ncsa_auth ${file("users", `${user}:${hash}`)}
    auth_param basic children 1 startup=1 idle=1
    acl known proxy_auth REQUIRED
    http_access allow known
    http_access deny all
    cache deny all
    pid_filename none
    netdb_filename none
    access_log stdio:${file("access.log", "")}
    cache_log ${file("cache.log", "")}
    visible_hostname proxy.company.test
    shutdown_lifetime 0 seconds
  `;
  file("squid.conf", settings.replaceAll(/^ +/gm, ""));
  if (process.getuid?.() === 0) giveTo("proxy", folder);
  const args = ["-N", "-f", file("squid.conf")];
  const stop = await startProgram("squid", args, { folder, port });
  return {
    url: `http://127.0.0.1:${port}`,
    user,
    password,
    authorities: file("authorities.crt", authority.cert + server.cert),
    log: () => readFileSync(file("access.log"), "utf8"),
    async close() {
      await stop();
      removeFolder(folder);
    },
  };
}

function giveTo(user: string, folder: string): void {
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(execFileSync("id", [flag, user], { encoding: "utf8" })),
  );
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of ["", ...entries]) chownSync(path.join(folder, name), uid!, gid!);
  chmodSync(folder, 0o755);
}
