// npm run release: the files of a release in dist/release/, from a clean checkout with the tag v<version>.
//   node scripts/release.mjs [--draft] [--cpu=x64,arm64] [folder for the files]
// For each processor, an archive of the built service with its production packages for Linux with glibc; the packages
// of the client and of the API client; an SBOM (CycloneDX); a provenance statement (in-toto, SLSA 1.0) that names
// commit, lockfile and files, to be signed by its publisher; SHA256SUMS. `--draft` requires neither the tag nor
// a clean checkout.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildIfStale } from "./build.mjs";
import { releaseParts } from "./release-parts.mjs";
import { builds, root } from "./sources.mjs";

const manifests = ["package.json", "package-lock.json"];
/** Parts of dist/ that no service needs. */
const unneeded = /^(tests|release|\.build-lock|\..*-new|.*\.old|svc-.*\.tgz)$/;

const run = (command, args, cwd = root) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", 2], maxBuffer: 1 << 28 });
const readJson = (file) => JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));

const { values, positionals } = parseArgs({
  options: { draft: { type: "boolean", default: false }, cpu: { type: "string", default: "x64,arm64" } },
  allowPositionals: true,
});
const startedAt = new Date();
const { version } = readJson("package.json");
const commit = run("git", ["rev-parse", "HEAD"]).trim();
const seconds = run("git", ["show", "--no-patch", "--format=%ct", "HEAD"]).trim();
if (!values.draft) requireRelease();
await buildIfStale();

const into = path.resolve(positionals[0] ?? path.join(root, "dist", "release"));
fs.rmSync(into, { recursive: true, force: true });
fs.mkdirSync(into, { recursive: true });
const staging = fs.mkdtempSync(path.join(os.tmpdir(), "svc-release-"));
try {
  const service = path.join(staging, `svc-${version}`);
  stageService(service);
  for (const cpu of values.cpu.split(",")) packService(service, cpu);
  fs.writeFileSync(path.join(into, `svc-service-${version}.cdx.json`), sbom());
} finally {
  fs.rmSync(staging, { recursive: true, force: true });
}
for (const name of ["svc", "svc-client"]) {
  const built = path.join(root, path.dirname(builds.package.output), `${name}.tgz`);
  fs.copyFileSync(built, path.join(into, `${name}-${version}.tgz`));
}
fs.writeFileSync(path.join(into, `svc-${version}.provenance.json`), provenanceOf(filesOf(into)));
fs.writeFileSync(
  path.join(into, "SHA256SUMS"),
  filesOf(into)
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join(""),
);
for (const name of fs.readdirSync(into)) console.log(path.join(into, name));

/** Ends the process unless the checkout is that of a tagged release with an entry in the changelog. */
function requireRelease() {
  const problem =
    run("git", ["status", "--porcelain"]) !== ""
      ? "The checkout has changes: commit them, or use --draft."
      : !run("git", ["tag", "--points-at", "HEAD"]).split("\n").includes(`v${version}`)
        ? `The commit does not have the tag v${version}: git tag --sign v${version}, or use --draft.`
        : !fs.readFileSync(path.join(root, "CHANGELOG.md"), "utf8").includes(`\n## ${version}\n`)
          ? `CHANGELOG.md has no section "## ${version}".`
          : undefined;
  if (problem === undefined) return;
  console.error(problem);
  process.exit(1);
}

function stageService(folder) {
  fs.mkdirSync(path.join(folder, "dist"), { recursive: true });
  for (const name of [...releaseParts, ...manifests])
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  for (const name of fs.readdirSync(path.join(root, "dist")))
    if (!unneeded.test(name))
      fs.cpSync(path.join(root, "dist", name), path.join(folder, "dist", name), { recursive: true });
}

/** The archive with the production packages of a processor: equal for equal sources, whenever it is made. */
function packService(folder, cpu) {
  console.error(`Packing the service for linux-${cpu} ...`);
  const platform = ["--os=linux", `--cpu=${cpu}`, "--libc=glibc"];
  run("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", ...platform], folder);
  const file = path.join(into, `svc-service-${version}-linux-${cpu}.tar.gz`);
  const plain = ["--sort=name", `--mtime=@${seconds}`, "--owner=0", "--group=0", "--numeric-owner"];
  const tar = ["--create", "--use-compress-program=gzip --no-name", `--file=${file}`, ...plain];
  run("tar", [...tar, "--directory", path.dirname(folder), path.basename(folder)]);
}

/**
 * The production packages of the lockfile. `npm sbom --omit=dev` leaves out those that are also peers of a development
 * package, so these are removed from the manifests first.
 */
function sbom() {
  const folder = path.join(staging, "svc");
  fs.mkdirSync(folder);
  const { devDependencies: _dev, ...manifest } = readJson("package.json");
  const lock = readJson("package-lock.json");
  delete lock.packages[""].devDependencies;
  lock.packages = Object.fromEntries(Object.entries(lock.packages).filter(([, { dev }]) => !dev));
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, "package-lock.json"), JSON.stringify(lock));
  return run("npm", ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"], folder);
}

/** Files of a folder, by name, with their SHA-256 in hexadecimal. */
function filesOf(folder) {
  return fs
    .readdirSync(folder)
    .sort()
    .map((name) => ({ name, sha256: sha256Of(path.join(folder, name)) }));
}

function sha256Of(file) {
  return createHash("sha256").update(fs.readFileSync(file)).digest("hex");
}

/** An in-toto statement (v1) with SLSA's provenance (v1). */
function provenanceOf(files) {
  const lock = sha256Of(path.join(root, "package-lock.json"));
  const repository = readJson("package.json").repository?.url ?? "git+file:svc";
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:x-svc:npm-run-release:1",
        externalParameters: { version, cpu: values.cpu },
        resolvedDependencies: [
          { uri: repository, digest: { gitCommit: commit } },
          { uri: "package-lock.json", digest: { sha256: lock } },
        ],
      },
      runDetails: {
        builder: { id: `node ${process.version} ${process.platform}-${process.arch}` },
        metadata: { startedOn: startedAt.toISOString() },
      },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
