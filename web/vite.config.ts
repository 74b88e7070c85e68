import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type Rolldown } from "vite";
import { designTokens } from "../contract/dashboard/design-tokens.ts";
import { writeGuides } from "./guide-steps.ts";
import { routes } from "./routes.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
writeGuides(here(".."));
/** Below `/assets/`, which no organization can be named. */
const assetsDir = "assets/app";

/** Puts the design tokens into index.html, whose frame is painted before the style sheet arrives. */
function inlineTokens(): Plugin {
  return {
    name: "inline-tokens",
    transformIndexHtml: {
      order: "pre", // Before Vite adapts the style to browsers without light-dark().
      handler: (html) => html.replace("<style>", `<style>${designTokens}`),
    },
  };
}

/** Loads the fonts of the first view concurrently with the script instead of after the style sheet. */
function preloadFonts(): Plugin {
  return {
    name: "preload-fonts",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /(geist|jetbrains-mono)-latin-wght.*\.woff2$/.test(file))
          .map((file) => ({
            tag: "link",
            injectTo: "head",
            attrs: { rel: "preload", as: "font", type: "font/woff2", href: `/${file}`, crossorigin: true },
          })),
    },
  };
}

/** Moves the style sheet to the end of the body: the frame of index.html is painted without waiting for it. */
function lateStyles(): Plugin {
  return {
    name: "late-styles",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) => {
        const links = html.match(/^ *<link rel="stylesheet".*$/gm) ?? [];
        return links.reduce(
          (page, link) => page.replace(`${link}\n`, "").replace("  </body>", `${link}\n  </body>`),
          html,
        );
      },
    },
  };
}

/** Gives the two files that index.html names literally a name by their content, so that they are cached permanently. */
function hashedPublicFiles(): Plugin {
  const files = ["scheme.js", "icon.svg"].map((name) => {
    const source = readFileSync(here(`public/${name}`));
    const [stem, ending] = name.split(".");
    const hash = createHash("sha256").update(source).digest("hex").slice(0, 8);
    return { name, source, fileName: `${assetsDir}/${stem}-${hash}.${ending}` };
  });
  return {
    name: "hashed-public-files",
    apply: "build",
    generateBundle() {
      for (const { fileName, source } of files) this.emitFile({ type: "asset", fileName, source });
    },
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        files.reduce((page, { name, fileName }) => page.replaceAll(`"/${name}"`, `"/${fileName}"`), html),
    },
  };
}

/**
 * Has every dynamic import wait for the service instead of failing, by the function that `src/main.tsx` installs. An
 * import in the helper itself would move a quarter of Mantine into the first load.
 */
function patientImports(): Plugin {
  return {
    name: "patient-imports",
    apply: "build",
    transform(code, id) {
      if (!id.includes("vite/preload-helper")) return undefined;
      const renamed = code.replace("export const __vitePreload =", "const preloadOnce_ =");
      if (renamed === code) this.error("the helper of dynamic imports has changed");
      return `${renamed}
export const __vitePreload = (...args) => {
  const load = () => preloadOnce_(...args);
  return globalThis.loadChunk ? globalThis.loadChunk(load) : load();
};`;
    },
  };
}

/** The script of the frame that draws diagrams: Mermaid, and what talks to it. No page of the dashboard loads it. */
function diagramScript(): Plugin {
  const source = ["../node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js", "public/diagram.js"]
    .map((name) => readFileSync(here(name), "utf8"))
    .join("\n");
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 8);
  return {
    name: "diagram-script",
    apply: "build",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: `${assetsDir}/diagram-${hash}.js`, source });
    },
  };
}

/** Parts of Mantine that open above the page, except for what native fields use of them. */
const aboveThePage = [
  "Combobox(?!/(ComboboxChevron|get-))",
  "ComboboxPopover",
  "FocusTrap",
  "Menu",
  "Modal",
  "ModalBase",
  "Overlay",
  "Popover",
  "ScrollArea",
  "Select",
  "Tooltip",
].join("|");

/**
 * Modules that many pages share, in few chunks. Without groups, each set of pages has chunks of its own, and a page
 * loads up to 75. A group includes the imports of its modules, so groups without overlays precede those with them:
 * neither the home page nor the catalog loads overlays. Libraries of the shell change rarely, so that their chunks stay
 * in the browser's cache across releases.
 */
const chunkGroups: Rolldown.CodeSplittingGroup[] = [
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: "tanstack", test: /node_modules\/@tanstack\/(?!react-virtual|virtual-core)/ },
  { name: "icons", test: /node_modules\/lucide-react\/.*js$/ },
  { name: "mantine", test: /node_modules\/.*js$/, tags: ["$initial"] },
  { name: "shell", test: /\/(web\/src|contract)\//, tags: ["$initial"] },
  {
    name: "basics",
    test: new RegExp(`node_modules/@mantine/(hooks|core/esm/(?!components/(Portal|${aboveThePage})/))`),
    minShareCount: 14,
  },
  // Loaded after each page, by its notices.
  { name: "portal", test: /node_modules\/(react-remove-scroll|@mantine\/core\/esm\/components\/Portal)\// },
  {
    name: "overlays",
    test: new RegExp(`node_modules/(@floating-ui|@mantine/core/esm/components/(${aboveThePage})/)`),
    minShareCount: 10,
  },
  {
    name: "parts",
    test: /\/web\/src\/(api\/|parts\/(?!.*dialog|proof\/|page\/organization-page))/,
    minShareCount: 8,
  },
  { name: "dialogs", test: /\/web\/src\/parts\//, minShareCount: 8 },
];

export default defineConfig({
  root: here("."),
  base: "/",
  html: { cspNonce: "__CSP_NONCE__" },
  // The Markdown language imports those of HTML, scripts and style sheets, which a skill's text does without.
  resolve: { alias: { "@codemirror/lang-html": here("src/pages/editor/code/no-html.ts") } },
  plugins: [
    tanstackRouter({
      target: "react",
      autoCodeSplitting: true,
      virtualRouteConfig: routes,
      routesDirectory: here("src/pages"),
      generatedRouteTree: here("generated/route-tree.ts"),
      quoteStyle: "double",
    }),
    react(),
    inlineTokens(),
    preloadFonts(),
    lateStyles(),
    hashedPublicFiles(),
    patientImports(),
    diagramScript(),
  ],
  build: {
    outDir: here("../dist/web/app"),
    emptyOutDir: true,
    copyPublicDir: false,
    assetsDir,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: {
      output: {
        // Chromium then compiles a chunk while it is loaded, and keeps the result for the next page.
        postBanner: "//# allFunctionsCalledOnLoad",
        codeSplitting: { groups: chunkGroups },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    port: 5199,
    strictPort: true,
    proxy: { "/api": { target: "http://127.0.0.1:3000", changeOrigin: false } },
  },
});
