/** The look of the server-rendered pages: the dashboard's colors with system fonts, light and dark, and the mark. */

/** The logo: a registry's shelf. Also the icon of a browser tab, so it has its own background. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="4" fill="#1b1916"/>
<path d="M4 11V5h8v6" stroke="#fff" fill="none" stroke-width="1.75"/>
</svg>
`;

export const pageStyle = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1916, #eeecea);
  --on-ink: light-dark(#ffffff, #11100e);
  --soft: light-dark(#686560, #9c9994);
  --line: light-dark(#e5e4e1, #2c2b28);
  --control: light-dark(#8d8a85, #74716c);
  --paper: light-dark(#ffffff, #181715);
  --sheet: light-dark(#f9f7f5, #11100e);
  --sunken: light-dark(#f5f3f1, #131210);
  --accent: light-dark(#00648f, #66c3eb);
  --on-accent: light-dark(#ffffff, #11100e);
  --bad: light-dark(#b12725, #f58e8a);
  --mono: "JetBrains Mono", ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--sheet);
  color: var(--ink);
  font: 15px/1.6 "Geist", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1rem;
  justify-content: space-between;
  align-items: center;
  min-height: 3rem;
  padding: 0.375rem 1.25rem;
  border-bottom: 1px solid var(--line);
  font-size: 0.875rem;
}
header nav, header form { display: flex; gap: 0.75rem; align-items: center; margin: 0; }
.home { display: flex; gap: 0.625rem; align-items: center; color: inherit; font-weight: 600; text-decoration: none; }
.home img { display: block; }
main {
  max-width: 36rem;
  margin: 2.5rem auto;
  padding: 2rem;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--paper);
  overflow-wrap: anywhere;
}
main > :last-child, main > form > :last-child { margin-bottom: 0; }
main > form + p { margin-top: 1.25rem; }
@media (max-width: 40rem) {
  body { background: var(--paper); }
  main { margin: 0; padding: 1.5rem 1.25rem; border: 0; }
}
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.125rem; line-height: 1.3; }
p, pre { margin: 0 0 1rem; }
a { color: var(--accent); }
small, .soft { color: var(--soft); font-size: 0.875rem; }
.field { display: grid; gap: 0.25rem; margin: 0 0 1rem; }
.field label { font-weight: 600; }
.check { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 0.625rem; align-items: baseline; }
.check input { width: auto; margin: 0; }
.check small { grid-column: 2; }
input, textarea {
  width: 100%;
  padding: 0.5rem 0.625rem;
  border: 1px solid var(--control);
  border-radius: 6px;
  background: transparent;
  color: inherit;
  font: inherit;
}
input[type="radio"] { width: auto; }
fieldset { margin: 0 0 1rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
fieldset p { margin: 0.25rem 0; }
legend { font-weight: 600; }
button, .button {
  display: inline-block;
  padding: 0.375rem 0.875rem;
  border: 1px solid var(--ink);
  border-radius: 6px;
  background: var(--ink);
  color: var(--on-ink);
  font: inherit;
  text-decoration: none;
  font-weight: 600;
  cursor: pointer;
}
button.second { border-color: var(--control); background: transparent; color: var(--ink); }
button.plain { padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; gap: 0.75rem; flex-wrap: wrap; }
.alert { padding: 0.625rem 0.875rem; border: 1px solid var(--bad); border-radius: 6px; color: var(--bad); }
.notice { padding: 0.625rem 0.875rem; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); }
.code {
  padding: 0.875rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--sheet);
  font: 600 2rem/1.2 var(--mono);
  letter-spacing: 0.08em;
  text-align: center;
}
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
pre {
  overflow-x: auto;
  padding: 0.875rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--sunken);
  font: 0.8125rem/1.6 var(--mono);
}
code { font-family: var(--mono); font-size: 0.875em; }
pre code { font-size: inherit; }
aside pre { white-space: pre-wrap; overflow-wrap: anywhere; }
main.wide { max-width: 71rem; padding: 0 1.5rem; border: 0; background: none; }
main.wide > h1 { margin-bottom: 0.5rem; }
.lead { max-width: 46rem; color: var(--soft); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 18rem; gap: 2rem; align-items: start; }
.columns > aside { font-size: 0.875rem; }
.columns > aside h2 { margin-top: 0; font-size: 0.875rem; }
.columns section { margin-bottom: 1.5rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
.columns dl { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); margin: 0; }
.files { margin: 0 0 0.5rem; padding: 0; list-style: none; }
.files li { display: flex; gap: 0.75rem; justify-content: space-between; font-size: 0.8125rem; }
.files a { font-family: var(--mono); }
.files .soft { white-space: nowrap; }
.readme { min-width: 0; padding: 0.5rem 1.75rem; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); }
.readme h2 { font-size: 1.375rem; }
.readme h3 { margin: 1.5rem 0 0.5rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); font-size: 1.125rem; }
.readme img { max-width: 100%; }
.readme table { display: block; overflow-x: auto; border-collapse: collapse; margin: 0 0 1rem; }
.readme th, .readme td { padding: 0.25rem 0.75rem; border: 1px solid var(--line); text-align: start; }
.readme .align-right { text-align: right; }
.readme .align-center { text-align: center; }
.readme blockquote { margin: 0 0 1rem; padding: 0 0 0 1rem; border-inline-start: 3px solid var(--line); color: var(--soft); }
.readme :not(pre) > code { padding: 0.125rem 0.25rem; border-radius: 4px; background: var(--sunken); }
@media (max-width: 60rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .columns > aside { order: -1; }
  .readme { padding: 0.5rem 1rem; }
}
@media (max-width: 40rem) {
  main.wide { padding: 1rem; }
}
`;
