// The files of a container image, in an empty folder: the built service, and the packages that its bundles load at run
// time. The embedded engines are left out: the image needs MONGODB_URL and REDIS_URL.
//   node scripts/stage-image.mjs [--commit=SHA] FOLDER
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./sources.mjs";

/** Machine code, WebAssembly, fonts and pages. Everything else is in the bundles (scripts/build.mjs). */
const loaded = [
  "@embedpdf/fonts-arabic",
  "@embedpdf/fonts-hebrew",
  "@fontsource/geist",
  "@fontsource/unifontex",
  "@node-rs/argon2",
  "@resvg/resvg-wasm",
  "bidi-js",
  "sharp",
  "swagger-ui-dist",
];
/** Parts of dist/ that no process of the service needs. */
const unneeded = /^(tests|release|cli|\.build-lock|\..*-new|.*\.old|svc-.*\.tgz)$/;

const { values, positionals } = parseArgs({
  options: { commit: { type: "string", default: "" } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("Usage: node scripts/stage-image.mjs [--commit=SHA] FOLDER");
  process.exit(1);
}
fs.mkdirSync(folder, { recursive: true });
for (const name of ["package.json", "LICENSE", "samples"]) copy(name);
for (const name of fs.readdirSync(path.join(root, "dist")))
  if (!unneeded.test(name)) copy(path.join("dist", name));
for (const place of placesOf(loaded)) copy(place);
// A copy without its repository, as in a container, does not know its commit.
if (values.commit !== "")
  fs.writeFileSync(path.join(folder, "dist", "build.json"), JSON.stringify({ commit: values.commit }));

function copy(name) {
  const filter = (file) => !file.endsWith(".map");
  fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true, filter });
}

/** The folders of packages and of what they depend on, as far as they are installed on this platform. */
function placesOf(names) {
  const places = new Set();
  const visit = (name, from) => {
    const place = findPackage(name, from);
    if (place === undefined || places.has(place)) return;
    places.add(place);
    const manifest = JSON.parse(fs.readFileSync(path.join(root, place, "package.json"), "utf8"));
    for (const next of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
      visit(next, place);
  };
  for (const name of names) visit(name, "");
  return places;
}

/** As Node.js resolves it from a folder. */
function findPackage(name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf("node_modules") - 1, 0))) {
    const place = path.posix.join(at, "node_modules", name);
    if (fs.existsSync(path.join(root, place, "package.json"))) return place;
    if (at === "") return undefined;
  }
}
