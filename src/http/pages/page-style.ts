/** The look of the server-rendered pages: that of the dashboard, without its script and libraries. */
import { designTokens } from "../../../contract/dashboard/design-tokens.ts";
import { findFonts } from "../dashboard/fonts.ts";

/** Served by the dashboard's build. Without a build, the pages use fonts of the system. */
const fontFaces = findFonts()
  .map(
    ({ family, path }) =>
      `@font-face { font-family: "${family}"; font-weight: 100 900; font-display: swap; src: url("${path}") format("woff2"); }\n`,
  )
  .join("");

const layout = `* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  display: grid;
  grid-template: 56px 1fr 44px / minmax(0, 1fr);
  background: var(--canvas);
  color: var(--ink);
  font: 400 var(--t-text)/1.5 var(--font);
  -webkit-font-smoothing: antialiased;
}
body > header, body > footer { display: flex; align-items: center; gap: 10px; padding: 0 24px; font-size: var(--t-ui); }
body > footer { gap: 16px; color: var(--ink-3); font-size: var(--t-meta); }
body > footer a { color: inherit; }
body > header nav, body > header form { display: flex; gap: 8px; align-items: center; margin: 0; }
body > header nav { margin-left: auto; color: var(--ink-3); font-size: var(--t-meta); }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; padding: 8px; background: var(--surface); }
.home { display: flex; gap: 10px; align-items: center; color: inherit; font-weight: 600; letter-spacing: -0.01em; text-decoration: none; }
.home img { display: block; }
main { display: grid; place-items: center; min-width: 0; padding: 24px; overflow-wrap: anywhere; }
.box { width: 100%; max-width: 380px; }
main.wide { place-items: start center; }
main.wide > .box { max-width: 71rem; }
.box > :last-child, .box > form > :last-child { margin-bottom: 0; }
`;

const text = `h1 { margin: 0 0 4px; font-size: 1.375rem; line-height: 1.25; font-weight: 600; letter-spacing: -0.022em; }
h2 { margin: 24px 0 8px; font-size: var(--t-h3); line-height: 1.35; font-weight: 600; letter-spacing: -0.012em; }
p, pre, ol { margin: 0 0 16px; }
ol { padding-left: 20px; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 3px; }
small, .meta { color: var(--ink-3); font-size: var(--t-meta); }
.sub { color: var(--ink-2); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 7px 16px; margin: 0 0 16px; font-size: var(--t-ui); }
dt { color: var(--ink-3); }
dd { margin: 0; min-width: 0; }
dl.kv { margin: 8px 0; padding: 14px 16px; border: 1px solid var(--line); border-radius: var(--r-panel); background: var(--surface); }
dl.kv dd { text-align: right; overflow-wrap: anywhere; }
dl.verdicts { padding: 14px 16px; border: 1px solid var(--line); border-radius: var(--r-panel); background: var(--surface); }
dl.verdicts dd { overflow-wrap: anywhere; }
.block { display: block; margin-top: 2px; }
.good { color: var(--ok); }
.bad { color: var(--danger); font-weight: 500; }
code, .mono { font: 400 0.9em var(--mono); letter-spacing: -0.02em; font-variant-ligatures: none; }
pre { overflow-x: auto; padding: 12px 14px; border: 1px solid var(--line); border-radius: var(--r-control); background: var(--sunken); font: 400 var(--t-meta)/1.65 var(--mono); font-variant-ligatures: none; }
.code { margin: 18px 0 0; padding: 18px 0 18px 0.3em; border: 1px solid var(--line); border-radius: var(--r-panel); background: var(--surface); font: 500 1.625rem/1 var(--mono); letter-spacing: 0.3em; text-align: center; white-space: nowrap; }
.alert, .notice { margin: 16px 0; padding: 10px 12px; border: 1px solid var(--line); border-radius: var(--r-control); background: var(--sunken); font-size: var(--t-ui); }
.alert { border-color: var(--danger-line); background: var(--danger-tint); }
.notice.warn { margin: 8px 0 0; border-color: var(--warn-line); background: var(--warn-tint); }
`;

const controls = `form { margin: 22px 0 0; }
body > header form { margin: 0; }
.box > form + .meta { margin-top: 18px; line-height: 24px; }
.field { display: grid; gap: 5px; margin: 0 0 14px; }
.field > input, .field > .reveal { grid-row: 2; grid-column: 1; }
.field > .reveal { justify-self: end; margin-right: 12px; }
.field > input:has(+ .reveal) { padding-right: 60px; }
.field > input[aria-invalid="true"] { border-color: var(--danger); }
small.bad { color: var(--danger); }
small.good { color: var(--ok); }
.field .label { display: flex; justify-content: space-between; font-size: var(--t-ui); }
.field label, legend { font-weight: 500; font-size: var(--t-ui); }
.check { display: grid; grid-template-columns: auto 1fr; gap: 4px 10px; align-items: baseline; }
.check input { width: auto; height: auto; margin: 0; accent-color: var(--accent-fill); }
.check small { grid-column: 2; }
input, textarea, select { width: 100%; height: 40px; padding: 0 12px; border: 1px solid var(--line-control); border-radius: var(--r-control); background: var(--surface); color: inherit; font: inherit; }
textarea { height: auto; padding: 8px 12px; }
input[type="radio"] { width: auto; height: auto; accent-color: var(--accent-fill); }
fieldset { margin: 0 0 16px; padding: 12px 16px; border: 1px solid var(--line); border-radius: var(--r-panel); background: var(--surface); }
fieldset p { margin: 4px 0; }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 40px; padding: 0 14px; border: 1px solid var(--ink); border-radius: var(--r-control); background: var(--ink); color: var(--on-ink); font: 500 var(--t-text) var(--font); text-decoration: none; cursor: pointer; }
.choices { display: grid; gap: 8px; margin: 22px 0 18px; }
.choices > .button { padding: 9px 14px; text-align: center; overflow-wrap: anywhere; }
.box form > button, .box form > .button, .box > .button { width: 100%; }
button:hover, .button:hover { background: color-mix(in srgb, var(--ink) 88%, var(--canvas)); }
button.second, .button.second { border-color: var(--line-strong); background: var(--surface); color: var(--ink); }
button.second:hover, .button.second:hover { background: var(--hover); }
button.plain { min-height: 24px; width: auto; padding: 0; border: 0; background: none; color: var(--accent); font: inherit; text-decoration: underline; text-underline-offset: 3px; }
button.danger { border-color: var(--danger); background: var(--danger); color: var(--on-ink); }
:focus-visible { outline: 2px solid transparent; box-shadow: var(--focus); border-radius: var(--r-control); }
.actions { display: grid; grid-template-columns: 1fr 1.6fr; gap: 8px; margin: 14px 0 12px; }
.actions button { width: 100%; }
@media (max-width: 40rem) {
  body > header, body > footer { padding: 0 16px; }
  main { padding: 16px; place-items: start center; }
}
`;

/** The page of a shared skill: its text, and a column with its facts. */
const shared = `aside pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.lead { max-width: 46rem; color: var(--ink-3); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 18rem; gap: 2rem; align-items: start; }
.columns > aside { font-size: var(--t-text); }
.columns > aside h2 { margin-top: 0; font-size: var(--t-text); }
.columns section { margin-bottom: 1.5rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
.columns dl { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); margin: 0; }
.files { margin: 0 0 0.5rem; padding: 0; list-style: none; }
.files li { display: flex; gap: 0.75rem; justify-content: space-between; font-size: var(--t-ui); }
.files a { font-family: var(--mono); }
.files .meta { white-space: nowrap; }
.readme { min-width: 0; padding: 0.5rem 1.75rem; border: 1px solid var(--line); border-radius: var(--r-panel); background: var(--surface); }
.readme h2 { font-size: 1.375rem; }
.readme h3 { margin: 1.5rem 0 0.5rem; font-size: 1.125rem; }
.readme .heading:has(> h3) { margin-bottom: 0.75rem; border-bottom: 1px solid var(--line); }
.readme img { max-width: 100%; }
.readme table { display: block; overflow-x: auto; border-collapse: collapse; margin: 0 0 1rem; }
.readme th, .readme td { padding: 0.25rem 0.75rem; border: 1px solid var(--line); text-align: start; }
.readme .align-right { text-align: right; }
.readme .align-center { text-align: center; }
.readme blockquote { margin: 0 0 1rem; padding: 0 0 0 1rem; border-inline-start: 3px solid var(--line); color: var(--ink-3); }
.readme .anchor { margin-inline-start: 0.375rem; color: var(--ink-3); text-decoration: none; opacity: 0; }
.readme .heading { display: flex; align-items: baseline; }
.readme .heading:hover > .anchor, .readme .anchor:focus-visible { opacity: 1; }
.readme th { background: var(--sunken); font-weight: 600; }
.readme .task { list-style: none; }
.readme .task input { margin: 0 0.375rem 0 -1.375rem; vertical-align: -0.125em; }
.readme .callout { margin: 0 0 1rem; padding: 0.5rem 1rem; border-inline-start: 3px solid var(--callout); }
.readme .callout > p { margin: 0.25rem 0; }
.readme .callout-title { color: var(--callout); font-weight: 600; }
.readme .callout-note { --callout: var(--accent); }
.readme .callout-tip { --callout: var(--ok); }
.readme .callout-important { --callout: var(--violet); }
.readme .callout-warning { --callout: var(--warn); }
.readme .callout-caution { --callout: var(--danger); }
.readme .footnotes { margin-top: 1.5rem; border-top: 1px solid var(--line); color: var(--ink-2); font-size: 0.875em; }
.readme :not(pre) > code { padding: 0.125rem 0.25rem; border-radius: var(--r-mark); background: var(--sunken); }
@media (max-width: 60rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .columns > aside { order: -1; }
  .readme { padding: 0.5rem 1rem; }
}
`;

export const pageStyle = fontFaces + designTokens + layout + text + controls + shared;
